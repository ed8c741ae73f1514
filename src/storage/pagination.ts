import { KnowledgeBaseError } from "../errors.js";
import type { ListPage } from "../types.js";
import type { RowRange } from "./records/range.js";

export interface PageRequest {
  readonly order: "asc" | "desc";
  readonly cursor?: string | undefined;
  readonly cursorDirection: "forward" | "backward";
  /** The page number, from 1, in the direction of paging. Can't be combined with `cursor`. */
  readonly page?: number | undefined;
  readonly perPage: number;
}

/** The maximum size of a page with more than one row. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Fetches one page of a list in the order of insertion or in reverse. With a cursor, concurrent changes never make
 * paging skip or repeat a row. `prevCursor` is `null` on the first page and past the last page. `hasMore` says whether
 * more rows follow in the direction of paging.
 * @param fetchSizes Returns the sizes of the rows in a range. Given for rows that may be large: a page ends before 8
 * MB.
 */
export async function fetchPage<Row extends { readonly seq: number }, Item>(
  list: string,
  request: PageRequest,
  fetch: (range: RowRange) => Promise<readonly Row[]>,
  toItem: (row: Row) => Item,
  fetchSizes?: (range: RowRange) => Promise<readonly { readonly bytes: number }[]>,
): Promise<ListPage<Item>> {
  const { order } = request;
  const isBackward = request.cursorDirection === "backward";
  const scanOrder = isBackward === (order === "asc") ? "desc" : "asc";
  const toSeq = (position: unknown) => (Number.isSafeInteger(position) ? (position as number) : null);
  const after = request.cursor === undefined ? null : decodeCursor(list, order, request.cursor, toSeq);
  const offset = ((request.page ?? 1) - 1) * request.perPage;
  const sizes = fetchSizes ? await fetchSizes({ after, direction: scanOrder, offset, limit: request.perPage }) : null;
  const perPage = sizes ? countFitting(sizes, request) : request.perPage;
  const rows = await fetch({ after, direction: scanOrder, offset, limit: perPage + 1 });
  const hasMore = rows.length > perPage;
  const scannedRows = rows.slice(0, perPage);
  const pageRows = isBackward ? scannedRows.toReversed() : scannedRows;
  const first = pageRows[0];
  const last = pageRows.at(-1);
  // If a row precedes the first scanned row, there is a page before this one. Nothing precedes the start of the list.
  const edge = after === null && offset === 0 ? undefined : scannedRows[0];
  const opposite = scanOrder === "asc" ? "desc" : "asc";
  const precedingRows = edge ? await fetch({ after: edge.seq, direction: opposite, offset: 0, limit: 1 }) : [];
  const hasPrevious = isBackward ? hasMore : precedingRows.length > 0;
  const hasNext = isBackward ? precedingRows.length > 0 : hasMore;
  return {
    items: pageRows.map(toItem),
    nextCursor: hasNext && last ? encodeCursor(list, order, last.seq) : null,
    prevCursor: hasPrevious && first ? encodeCursor(list, order, first.seq) : null,
    hasMore,
  };
}

/**
 * Returns the number of rows on a page: the requested number, or fewer if the rows are large, but at least one.
 * @throws KnowledgeBaseError `invalid_input` if large rows don't fit on a page with a number
 */
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
  const message = `is too large for page ${page}: only ${fitting} of its records fit, so lower perPage or use a cursor`;
  throw new KnowledgeBaseError("invalid_input", `perPage ${message}`, { issues: [{ field: "perPage", message }] });
}

/** Yields the items of all pages, from the first to the last. */
export async function* iteratePages<Item>(
  page: (cursor: string | undefined) => Promise<Pick<ListPage<Item>, "items" | "nextCursor">>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(cursor);
    yield* items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Returns the cursor of a position in a list, which is a JSON value. */
export function encodeCursor(list: string, order: string, position: unknown): string {
  return Buffer.from(JSON.stringify([1, list, order, position])).toString("base64url");
}

/**
 * Returns the position in a cursor, which is valid for one list in one order. A cursor grants no access: access is checked
 * for every page.
 * @param toPosition Returns `null` for a value that is no position
 * @throws KnowledgeBaseError `invalid_input` for an invalid cursor or the cursor of another list or order
 */
export function decodeCursor<Position>(
  list: string,
  order: string,
  cursor: string,
  toPosition: (value: unknown) => Position | null,
): Position {
  const parts = parseCursor(cursor);
  const [version, cursorList, cursorOrder, value] = parts ?? [];
  if (version === 1 && cursorList === list && cursorOrder === order) {
    const position = toPosition(value);
    // Base64 decoding ignores trailing characters, so the cursor must equal its re-encoded contents.
    if (position !== null && encodeCursor(list, order, value) === cursor) return position;
  }
  const message = parts
    ? `belongs to a different list or sort order (expected ${list}, ${order})`
    : "is not a valid cursor";
  throw new KnowledgeBaseError("invalid_input", `cursor ${message}`, { issues: [{ field: "cursor", message }] });
}

function parseCursor(cursor: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}
