import { KnowledgeBaseError } from "../errors.js";
import type { ListPage } from "../types.js";
import type { RowRange } from "./records/range.js";

export interface PageRequest {
  readonly order: "asc" | "desc";
  readonly cursor?: string | undefined;
  readonly cursorDirection: "forward" | "backward";
  /** The page number, starting at 1, in the direction of paging. Can't be combined with `cursor`. */
  readonly page?: number | undefined;
  readonly perPage: number;
}

const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * One page of a list in the order of insertion. Concurrent changes never make it skip or repeat a row. `prevCursor` is
 * `null` on the first page and past the last. `hasMore` says whether more rows follow in the direction of paging.
 * @param fetchSizes Returns the sizes of the rows in the same range, if they may be large: a page ends before 8 MB.
 */
export async function fetchPage<Row extends { readonly seq: number }, Item>(
  list: string,
  request: PageRequest,
  fetch: (range: RowRange) => Promise<readonly Row[]>,
  toItem: (row: Row) => Item,
  fetchSizes?: (range: RowRange) => Promise<readonly { readonly bytes: number }[]>,
): Promise<ListPage<Item>> {
  const { order } = request;
  const backward = request.cursorDirection === "backward";
  const scanOrder = backward === (order === "asc") ? "desc" : "asc";
  const after = request.cursor === undefined ? null : readCursor(list, order, request.cursor);
  const offset = ((request.page ?? 1) - 1) * request.perPage;
  const sizes = fetchSizes ? await fetchSizes({ after, direction: scanOrder, offset, limit: request.perPage }) : null;
  const perPage = sizes ? countFitting(sizes, request) : request.perPage;
  const rows = await fetch({ after, direction: scanOrder, offset, limit: perPage + 1 });
  const hasMore = rows.length > perPage;
  const scannedRows = rows.slice(0, perPage);
  const pageRows = backward ? scannedRows.toReversed() : scannedRows;
  const first = pageRows[0];
  const last = pageRows.at(-1);
  // A row on the other side of the page means that there is a page in that direction. The start of the list has none.
  const edge = after === null && offset === 0 ? undefined : scannedRows[0];
  const opposite = scanOrder === "asc" ? "desc" : "asc";
  const precedingRows = edge ? await fetch({ after: edge.seq, direction: opposite, offset: 0, limit: 1 }) : [];
  const hasPrevious = backward ? hasMore : precedingRows.length > 0;
  const hasNext = backward ? precedingRows.length > 0 : hasMore;
  return {
    items: pageRows.map(toItem),
    nextCursor: hasNext && last ? writeCursor(list, order, last.seq) : null,
    prevCursor: hasPrevious && first ? writeCursor(list, order, first.seq) : null,
    hasMore,
  };
}

/** The number of rows on a page: the requested number, or fewer if they are large; at least one. */
function countFitting(sizes: readonly { readonly bytes: number }[], { page, perPage }: PageRequest): number {
  let total = 0;
  let fitting = 0;
  for (const { bytes } of sizes) {
    total += bytes;
    if (total > MAX_PAGE_BYTES && fitting > 0) break;
    fitting++;
  }
  if (fitting === sizes.length) return perPage;
  if (page === undefined) return fitting;
  // With page numbers, the next page would skip the rows left out here.
  const message = `is too large for page ${page}: its records are large, and at most ${fitting} fit`;
  throw new KnowledgeBaseError("invalid_input", `perPage ${message}`, { issues: [{ field: "perPage", message }] });
}

/** Iterates over all pages, forward. */
export async function* iteratePages<Item>(
  page: (cursor: string | undefined) => Promise<ListPage<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(cursor);
    yield* items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function writeCursor(list: string, order: string, seq: number): string {
  return Buffer.from(JSON.stringify([1, list, order, seq])).toString("base64url");
}

/** A cursor is valid for one list in one order. It is only a position: access is checked again for every page. */
function readCursor(list: string, order: string, cursor: string): number {
  const parts = decode(cursor);
  const [version, cursorList, cursorOrder, seq] = parts ?? [];
  if (version === 1 && cursorList === list && cursorOrder === order && Number.isSafeInteger(seq)) {
    // Base64 decoding ignores trailing characters, so the cursor must equal its re-encoded contents.
    if (writeCursor(list, order, seq as number) === cursor) return seq as number;
  }
  const message = parts
    ? `belongs to a different list or sort order (expected ${list}, ${order})`
    : "is not a valid cursor";
  throw new KnowledgeBaseError("invalid_input", `cursor ${message}`, { issues: [{ field: "cursor", message }] });
}

function decode(cursor: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}
