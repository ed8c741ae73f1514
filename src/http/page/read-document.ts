import type { Chunk, KnowledgeDocument, Metadata, TextRange } from "../../index.js";
import { isPlainText, moved, type RangedText, slice } from "../ranged-text.js";
import { titleOf } from "../ui-message-stream/wire-passage.js";
import type { StoredText } from "./join-chunks.js";
import { joinToShown } from "./join-to-shown.js";
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
  const [metadata, read] = await Promise.all([
    readMetadata(visit, documentId),
    readChunks(visit, documentId, limits, wantedRange(focus, limits)),
  ]);
  const { window, chunks, previous, next } = read;
  const around = [previous ?? [], chunks, next ?? []].flat();
  const { pages, ...stored } = await readStoredText(visit, documentId, [window, ...around.map(({ range }) => range)]);
  const page = pages.findLast((each) => each.start <= start)?.page;
  const result: PageDocument = {
    title: titleOf(metadata, visit.settings.citationMetadataPath),
    mediaType: properties.mimeType,
    ...(isPlainText(properties.mimeType)
      ? { ...partOf(stored, window, marked), repeated: 0 }
      : joinToShown(read, stored, marked)),
    ...{ ...window, total, hasFile: hasPdf(document) ? "pdf" : null },
    ...(page !== undefined && totalPages > 1 ? { page } : {}),
  };
  return result;
}

/** The metadata of the first chunk, so that the title is that of the document's passages. */
async function readMetadata({ namespace, call }: Visit, documentId: string): Promise<Metadata> {
  for await (const { metadata } of namespace.documents.chunks(documentId, { signal: call.signal })) return metadata;
  return {};
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
  /** The chunk that ends where the window begins at a limit: the last one of the text that is shown already. */
  readonly previous: Chunk | null;
  /** The chunk that begins where the window ends at a limit: the first one of the text that is shown already. */
  readonly next: Chunk | null;
}

async function readChunks(
  { namespace, call }: Visit,
  documentId: string,
  limits: TextRange,
  wanted: TextRange,
): Promise<ReadChunks> {
  const chunks: Chunk[] = [];
  let previous: Chunk | null = null;
  let next: Chunk | null = null;
  const range = { start: Math.max(0, wanted.start - 1), end: Number.MAX_SAFE_INTEGER };
  for await (const chunk of namespace.documents.chunks(documentId, { range, signal: call.signal })) {
    if (chunk.range.start >= wanted.end) {
      next = chunk;
      break;
    }
    if (chunk.range.end > wanted.start) chunks.push(chunk);
    else previous = chunk;
  }
  const [first, last] = [chunks[0]?.range.start ?? wanted.start, chunks.at(-1)?.range.end ?? wanted.end];
  const start = wanted.start > limits.start ? Math.max(first, limits.start) : limits.start;
  const end = next && wanted.end < limits.end ? last : limits.end;
  return {
    ...{ chunks, window: { start, end } },
    previous: start === limits.start ? previous : null,
    next: end === limits.end ? next : null,
  };
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
