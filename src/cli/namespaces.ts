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
    details: "With --abandon-store, one that is deleted already is found by its id: its removal doesn't wait any more.",
    flags: [...STORAGE_FLAGS, "yes", "abandon-store"],
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const [ref] = invocation.operands as [string];
        const { yes, "abandon-store": abandonStore } = invocation.flags;
        if (!yes) {
          // One that is deleted already can't be read.
          const label = abandonStore ? ref : toLabel(await kb.namespaces.get(ref));
          throw new UsageError(`namespaces delete removes all documents of ${label}: confirm it with --yes`);
        }
        const deleted = await kb.namespaces.delete(ref, { abandonStore });
        return { json: deleted, text: `deleted ${toLabel(deleted)}: ${REMOVED_LATER}` };
      }),
  },
];

function toLabel({ slug, id }: Namespace): string {
  return `${slug} (${id})`;
}

function toRow({ slug, id, name, createdAt, embeddingConfig, vectorStoreConfig }: Namespace): string[] {
  const embedder = [embeddingConfig.provider, embeddingConfig.model].filter(Boolean).join(", ");
  return [slug, id, `created ${createdAt.slice(0, 10)}`, embedder, vectorStoreConfig.provider, name];
}
