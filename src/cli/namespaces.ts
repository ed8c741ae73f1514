import type { Namespace } from "../types.js";
import { columns } from "./columns.js";
import type { Command } from "./command.js";
import { UsageError } from "./usage-error.js";
import { REMOVED_LATER, withExisting } from "./with-namespace.js";

/** `lorebase namespaces list`: every namespace with its embedder and vector store. */
export const namespacesListCommand: Command = {
  name: "namespaces list",
  summary: "show the namespaces",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory"],
  run: (invocation) =>
    withExisting(invocation, async (kb) => {
      const namespaces: Namespace[] = [];
      for await (const namespace of kb.namespaces.iterate({ order: "asc" })) namespaces.push(namespace);
      return { json: { namespaces }, text: namespaces.length === 0 ? "no namespaces" : columns(namespaces.map(row)) };
    }),
};

/** `lorebase namespaces delete`: a namespace and everything in it. */
export const namespacesDeleteCommand: Command = {
  name: "namespaces delete",
  summary: "delete a namespace and all its documents",
  usage: "<slug or id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "yes"],
  run: (invocation) =>
    withExisting(invocation, async (kb) => {
      const { slug, id } = await kb.namespaces.get(invocation.operands[0]!);
      if (!invocation.flags.yes) {
        throw new UsageError(`namespaces delete removes all documents of ${slug} (${id}): confirm it with --yes`);
      }
      const deleted = await kb.namespaces.delete(id);
      return { json: deleted, text: `deleted ${slug} (${id}): ${REMOVED_LATER}` };
    }),
};

function row({ slug, id, name, createdAt, embeddingConfig, vectorStoreConfig }: Namespace): string[] {
  const embedder = [embeddingConfig.provider, embeddingConfig.model].filter(Boolean).join(", ");
  return [slug, id, `made ${createdAt.slice(0, 10)}`, embedder, vectorStoreConfig.provider, name];
}
