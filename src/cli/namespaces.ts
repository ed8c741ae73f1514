import type { Namespace } from "../types.js";
import { collect } from "../util/collect.js";
import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { STORAGE_FLAGS } from "./flags.js";
import { REMOVED_LATER } from "./record-commands.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

export const namespaceCommands: readonly Command[] = [
  {
    name: "namespaces list",
    summary: "show the namespaces",
    flags: STORAGE_FLAGS,
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const namespaces = await collect(kb.namespaces.iterate({ order: "asc" }));
        const text = namespaces.length === 0 ? "no namespaces" : formatColumns(namespaces.map(toRow));
        return { json: { namespaces }, text };
      }),
  },
  {
    name: "namespaces delete",
    summary: "delete a namespace and all its documents",
    usage: "<slug or id>",
    operands: { min: 1, max: 1 },
    flags: [...STORAGE_FLAGS, "yes"],
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const { slug, id } = await kb.namespaces.get(invocation.operands[0]!);
        if (!invocation.flags.yes) {
          throw new UsageError(`namespaces delete removes all documents of ${slug} (${id}): confirm it with --yes`);
        }
        const deleted = await kb.namespaces.delete(id);
        return { json: deleted, text: `deleted ${slug} (${id}): ${REMOVED_LATER}` };
      }),
  },
];

function toRow({ slug, id, name, createdAt, embeddingConfig, vectorStoreConfig }: Namespace): string[] {
  const embedder = [embeddingConfig.provider, embeddingConfig.model].filter(Boolean).join(", ");
  return [slug, id, `created ${createdAt.slice(0, 10)}`, embedder, vectorStoreConfig.provider, name];
}
