import type { Chunk, KnowledgeDocument, Metadata, TextRange } from "../../index.js";
import { isPlainText, moved, type RangedText, slice } from "../ranged-text.js";
import { titleOf } from "../ui-message-stream/wire-passage.js";
import { joinChunks, type StoredText } from "./join-chunks.js";
import type { PageDocument } from "./page-data.js";
import { PageError } from "./page-error.js";
import type { Visit } from "./visit.js";

/** In characters, without the rest of the first and the last chunk: what a slow phone shows in less than a second. */
const MAX_TEXT_LENGTH = 40_000;
const PDF = "application/pdf";

/**
 * Reads the text around the range from `start` to `end`, all of it if it is short enough. With `before` or `after` only
 * the text before or after that offset, which was read already.
 */
export async function readPageDocument(visit: Visit, documentId: string, query: URLSearchParams) {
  const document = await findDocument(visit, documentId);
  const { totalCharacters: total, totalPages, properties } = document;
  const start = readOffset(query, "start", total, 0);
  const marked = { start, end: readOffset(query, "end", total, start, start) };
  const after = readOffset(query, "after", total, 0);
  const limits = { start: after, end: readOffset(query, "before", total, total, after) };
  const focus = query.has("before") ? { start: limits.end, end: limits.end } : marked;
  const { chunks, window, metadata } = await readChunks(visit, documentId, limits, wantedRange(focus, limits));
  const { pages, ...stored } = await readStoredText(visit, documentId, [window, ...chunks.map(({ range }) => range)]);
  const page = pages.findLast((each) => each.start <= start)?.page;
  const result: PageDocument = {
    title: titleOf(metadata, visit.settings.citationMetadataPath),
    mediaType: properties.mimeType,
    ...(isPlainText(properties.mimeType) ? partOf(stored, window, marked) : joinChunks(chunks, stored, window, marked)),
    ...{ ...window, total, hasFile: hasPdf(document) ? "pdf" : null },
    ...(page !== undefined && totalPages > 1 ? { page } : {}),
  };
  return result;
}

/** The text that contains all of the ranges. */
async function readStoredText({ namespace, call }: Visit, documentId: string, ranges: readonly TextRange[]) {
  const start = Math.min(...ranges.map((range) => range.start));
  const end = Math.max(...ranges.map((range) => range.end));
  const { text, pages } = await namespace.documents.text(documentId, { range: { start, end }, signal: call.signal });
  return { text, start: Math.max(start, pages[0]?.start ?? 0), pages };
}

function partOf({ text, start }: StoredText, window: TextRange, marked: TextRange): RangedText {
  return slice({ text, ranges: [moved(marked, -start)] }, window.start - start, window.end - start);
}

/** As much text as is sent at a time, within the limits, with the range in its middle. */
function wantedRange({ start, end }: TextRange, limits: TextRange): TextRange {
  const room = Math.max(0, MAX_TEXT_LENGTH - (end - start));
  const from = Math.max(limits.start, Math.min(start - Math.floor(room / 2), limits.end - MAX_TEXT_LENGTH));
  return { start: from, end: Math.min(limits.end, from + MAX_TEXT_LENGTH) };
}

interface ReadChunks {
  /** Those in the window. */
  readonly chunks: readonly Chunk[];
  /** The wanted range, up to the borders of its chunks or to the limits. */
  readonly window: TextRange;
  /** Of the first chunk of the document, so that its title is that of its passages. */
  readonly metadata: Metadata;
}

async function readChunks(
  { namespace, call }: Visit,
  documentId: string,
  limits: TextRange,
  wanted: TextRange,
): Promise<ReadChunks> {
  const chunks: Chunk[] = [];
  let metadata: Metadata | undefined;
  let hasEarlier = false;
  let hasLater = false;
  for await (const chunk of namespace.documents.chunks(documentId, { signal: call.signal })) {
    metadata ??= chunk.metadata;
    const { range } = chunk;
    hasLater = range.start >= wanted.end;
    if (hasLater) break;
    if (range.end > wanted.start) chunks.push(chunk);
    else hasEarlier ||= range.end > limits.start;
  }
  const start = hasEarlier ? chunks[0]?.range.start : limits.start;
  const end = hasLater && wanted.end < limits.end ? chunks.at(-1)?.range.end : limits.end;
  return { chunks, window: { start: start ?? wanted.start, end: end ?? wanted.end }, metadata: metadata ?? {} };
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

/** The offset in a query, between `min` and the length of the text; `otherwise` if there is none. */
function readOffset(query: URLSearchParams, name: string, total: number, otherwise: number, min = 0): number {
  const value = query.get(name) ?? "";
  return /^\d{1,9}$/.test(value) ? Math.min(Math.max(Number(value), min), total) : otherwise;
}
