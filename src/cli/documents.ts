import { inspect } from "node:util";
import { type KnowledgeDocument, STATUSES } from "../types.js";
import { columns, counted } from "./columns.js";
import type { Command } from "./command.js";
import { choiceOf } from "./flag-values.js";
import { REMOVED_LATER, withNamespace } from "./with-namespace.js";

/** `lorebase documents list`: every document of a namespace, the oldest first. */
export const documentsListCommand: Command = {
  name: "documents list",
  summary: "show the documents of a namespace",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory", "namespace", "tenant", "status"],
  run: (invocation) => {
    const status = choiceOf("status", invocation.flags.status, STATUSES);
    return withNamespace(invocation, async (handle, slug) => {
      const documents: KnowledgeDocument[] = [];
      const options = {
        order: "asc",
        signal: invocation.terminal.signal,
        ...(status && { statuses: [status] }),
      } as const;
      for await (const document of handle.documents.iterate(options)) documents.push(document);
      const text = documents.length === 0 ? `no documents in ${slug}` : columns(documents.map(row));
      return { json: { namespace: slug, documents }, text };
    });
  },
};

/** `lorebase documents show`: one document with its counts, warnings and error. */
export const documentsShowCommand: Command = {
  name: "documents show",
  summary: "show one document",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "namespace", "tenant"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      const document = await handle.documents.get(invocation.operands[0]!);
      return { json: document, text: details(document) };
    }),
};

/** `lorebase documents delete`: documents that no search finds from here on. */
export const documentsDeleteCommand: Command = {
  name: "documents delete",
  summary: "delete documents",
  usage: "<ids...>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: ["directory", "namespace", "tenant"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      // All are looked up before one is deleted, so that a misspelt id deletes nothing.
      const documents: KnowledgeDocument[] = [];
      for (const id of invocation.operands) documents.push(await handle.documents.get(id));
      const deleted: KnowledgeDocument[] = [];
      for (const { id } of documents) deleted.push(await handle.documents.delete(id));
      const lines = documents.map(({ id, name }) => `deleted ${[id, name && `(${name})`].filter(Boolean).join(" ")}`);
      return { json: { documents: deleted }, text: [...lines, `No search finds them; ${REMOVED_LATER}.`].join("\n") };
    }),
};

function row(document: KnowledgeDocument): string[] {
  const { id, status, totalPages, totalChunks } = document;
  return [id, status, counted(totalPages, "page"), counted(totalChunks, "chunk"), titleOf(document)];
}

function titleOf({ name, source, id }: KnowledgeDocument): string {
  if (source.type === "CRAWLED_PAGE") return source.url;
  return name ?? (source.type === "FILE" ? source.fileUrl : id);
}

function details(document: KnowledgeDocument): string {
  const { id, name, status, error, tenantId, ingestJobId, properties, config, warnings, source } = document;
  const lines: (readonly [string, string | null])[] = [
    ["id", id],
    ["name", name],
    ["status", status],
    ["error", error],
    ["tenant", tenantId],
    ["job", ingestJobId],
    // A text may be as long as a book.
    ["source", source.type === "TEXT" ? "TEXT" : inspect(source, { breakLength: Number.POSITIVE_INFINITY })],
    ["file", `${properties.mimeType}, ${properties.fileSize} bytes`],
    ["content", `${counted(document.totalPages, "page")}, ${counted(document.totalChunks, "chunk")}`],
    ["size", `${document.totalCharacters} characters, ${document.totalTokens} tokens`],
    ["config", Object.keys(config).length === 0 ? null : inspect(config, { breakLength: Number.POSITIVE_INFINITY })],
    ["created", document.createdAt],
    ["completed", document.completedAt],
    ["failed", document.failedAt],
    ...warnings.map((warning) => ["warning", warning] as const),
  ];
  return columns(lines.flatMap(([label, value]) => (value === null ? [] : [[label, value]])));
}
