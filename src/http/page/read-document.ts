import type { KnowledgeDocument, Metadata, NamespaceHandle } from "../../index.js";
import { titleOf } from "../ui-message-stream/wire-passage.js";
import type { PageDocument } from "./page-data.js";
import { PageError } from "./page-error.js";
import type { Visit } from "./visit.js";

/** In characters. */
const MAX_TEXT_LENGTH = 100_000;
const PDF = "application/pdf";

/** Reads the text around a range: all of it if it is short enough. */
export async function readPageDocument(visit: Visit, documentId: string, wanted: URLSearchParams) {
  const { namespace, settings, call } = visit;
  const document = await findDocument(visit, documentId);
  const total = document.totalCharacters;
  const start = readOffset(wanted.get("start"), 0, total);
  const end = readOffset(wanted.get("end"), start, total);
  const room = Math.max(0, MAX_TEXT_LENGTH - (end - start));
  const from = Math.max(0, Math.min(start - Math.floor(room / 2), total - MAX_TEXT_LENGTH));
  const range = { start: from, end: Math.min(total, from + MAX_TEXT_LENGTH) };
  const { text, pages } = await namespace.documents.text(documentId, { range, signal: call.signal });
  const page = pages.findLast((each) => each.start <= start)?.page;
  const result: PageDocument = {
    title: titleOf(await metadataOf(namespace, documentId), settings.citationMetadataPath),
    mediaType: document.properties.mimeType,
    ...{ text, total, hasFile: hasPdf(document) ? "pdf" : null },
    start: range.start,
    ...(page !== undefined && document.totalPages > 1 ? { page } : {}),
  };
  return result;
}

/** @throws PageError `not_found` if the document has no PDF file */
export async function requirePdf(visit: Visit, documentId: string): Promise<void> {
  if (!hasPdf(await findDocument(visit, documentId))) throw new PageError("not_found");
}

/** A page shows what its search finds: published documents without a tenant. */
async function findDocument({ namespace, call }: Visit, documentId: string): Promise<KnowledgeDocument> {
  const document = await namespace.documents.get(documentId, { signal: call.signal });
  if (document.tenantId === null) return document;
  throw new PageError("not_found");
}

/** While a document is replaced, its file may be the next one. */
function hasPdf({ status, source, properties }: KnowledgeDocument): boolean {
  return status === "COMPLETED" && source.type === "MANAGED_FILE" && properties.mimeType === PDF;
}

/** The metadata of the first passage, so that the title is that of its passages. */
async function metadataOf(namespace: NamespaceHandle, documentId: string): Promise<Metadata> {
  for await (const { metadata } of namespace.documents.chunks(documentId)) return metadata;
  return {};
}

function readOffset(value: string | null, from: number, total: number): number {
  const offset = /^\d{1,9}$/.test(value ?? "") ? Number(value) : from;
  return Math.min(Math.max(offset, from), total);
}
