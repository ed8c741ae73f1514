import { inspect } from "node:util";
import type { KnowledgeDocument } from "../types.js";
import { formatCount, formatFields } from "./columns.js";
import type { Command } from "./command.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { documentTitle } from "./ingest-outcome.js";
import { createListCommand, createRecordCommand, REMOVED_LATER } from "./record-commands.js";
import { UsageError } from "./usage-error.js";
import { withNamespace } from "./with-namespace.js";

export const documentCommands: readonly Command[] = [
  createListCommand(
    "documents",
    "show the documents of a namespace, oldest first",
    (handle, options) => handle.documents.iterate({ order: "asc", ...options }),
    toRow,
  ),
  createRecordCommand("documents show", "show one document", async (handle, id) => {
    const document = await handle.documents.get(id);
    return { json: document, text: describeDocument(document) };
  }),
  {
    name: "documents allow",
    summary: "change who may see documents: the principals of --allow, or all",
    usage: "<ids...>",
    operands: { min: 1, max: Number.POSITIVE_INFINITY },
    flags: [...NAMESPACE_FLAGS, "allow", "allow-all"],
    run: async (invocation) => {
      const { allow = null, "allow-all": isForAll } = invocation.flags;
      if ((allow === null) !== (isForAll === true))
        throw new UsageError("documents allow needs --allow or --allow-all");
      return withNamespace(invocation, async (handle) => {
        const documents: KnowledgeDocument[] = [];
        for (const id of invocation.operands) documents.push(await handle.documents.update(id, { allow }));
        const readers = allow === null ? "all" : allow.join(", ");
        return { json: { documents }, text: documents.map(({ id }) => `${id} may be seen by ${readers}`).join("\n") };
      });
    },
  },
  {
    name: "documents delete",
    summary: "delete documents",
    usage: "<ids...>",
    operands: { min: 1, max: Number.POSITIVE_INFINITY },
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle) => {
        // All ids are looked up first, so that nothing is deleted if one is misspelt.
        const documents: KnowledgeDocument[] = [];
        for (const id of invocation.operands) documents.push(await handle.documents.get(id));
        const deleted: KnowledgeDocument[] = [];
        for (const { id } of documents) deleted.push(await handle.documents.delete(id));
        const lines = documents.map(({ id, name }) => `deleted ${[id, name && `(${name})`].filter(Boolean).join(" ")}`);
        const note = `Searches no longer find them; ${REMOVED_LATER}.`;
        return { json: { documents: deleted }, text: [...lines, note].join("\n") };
      }),
  },
];

function toRow(document: KnowledgeDocument): string[] {
  const { id, status, totalPages, totalChunks } = document;
  return [id, status, formatCount(totalPages, "page"), formatCount(totalChunks, "chunk"), documentTitle(document)];
}

function describeDocument(document: KnowledgeDocument): string {
  const { id, name, status, error, tenantId, ingestJobId, properties, config, warnings, source } = document;
  const onOneLine = (value: object) => inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  return formatFields([
    ["id", id],
    ["name", name],
    ["status", status],
    ["error", error],
    ["tenant", tenantId],
    ["job", ingestJobId],
    // A text may be as long as a book.
    ["source", source.type === "TEXT" ? "TEXT" : onOneLine(source)],
    ["file", `${properties.mimeType}, ${properties.fileSize} bytes`],
    ["content", `${formatCount(document.totalPages, "page")}, ${formatCount(document.totalChunks, "chunk")}`],
    ["size", `${document.totalCharacters} characters, ${document.totalTokens} tokens`],
    ["config", Object.keys(config).length === 0 ? null : onOneLine(config)],
    ["created", document.createdAt],
    ["completed", document.completedAt],
    ["failed", document.failedAt],
    ...warnings.map((warning) => ["warning", warning] as const),
  ]);
}
