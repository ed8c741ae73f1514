import type { FilterNode } from "../filter.js";
import { lowerBound } from "../util/lower-bound.js";
import type { Operation, Step } from "./operation.js";
import { boundsOf, comparedValue, type OrderPart, partsOf, type RangeNode } from "./passage-order.js";
import type { ListedPassages, ListPosition, PassagesQuery, StoredPassage } from "./search-index.js";

/**
 * So many chunks of a filter, or of one value, are read and sorted. If there are more, documents are read in their order
 * until the page is full.
 */
const MAX_SORTED = 2000;

/** If very many chunks match a filter, so many times the missing chunks are read and tested before the database tests all. */
const TESTED_PER_CHUNK = 8;

/** A chunk in the order. */
export interface PlacedChunk extends ListPosition {
  readonly chunkSeq: number;
}

/** The chunks of a part of the order. */
export interface Listing {
  readonly kind: OrderPart["kind"];
  /** Those that match the part's filter, ascending; `null` without a filter. */
  readonly chunks: Float64Array | null;
  /**
   * Those that match the query's filter, ascending, among which the first of a document is chosen with `onePerDocument`;
   * `null` without a filter.
   */
  readonly candidates: Float64Array | null;
}

/** A range of a part of the order. */
export interface Span {
  /** The position after which the range begins; `null` for its start. */
  readonly after: ListPosition | null;
  /** Restricts the range to the chunks with this value, which are found by their documents. @default all values */
  readonly value?: string | number;
  /** Restricts the range to values past this one, if `after` is `null`. @default all values */
  readonly past?: string | number;
}

/** Reads the chunks of one query. */
export interface PassageReader {
  /** Returns the chunks that match a filter, ascending; some may be unpublished. */
  matching(filter: FilterNode): Step<Float64Array>;
  /** Returns the first value of a range and the number of chunks that have it, up to `limit`; `null` if there is none. */
  nextValue(
    listing: Listing,
    span: Span,
    limit: number,
  ): Step<{ readonly value: string | number; readonly count: number } | null>;
  /** Returns the first chunks of a range that are published and visible, and with `isFiltered` match. */
  rows(listing: Listing, span: Span, limit: number, isFiltered: boolean): Step<readonly PlacedChunk[]>;
  /** Counts the matching chunks of a listing that are published and visible. */
  count(listing: Listing): Step<number>;
  /** Returns the published chunks with the given sequence numbers, in the given order. */
  passages(chunkSeqs: readonly number[]): Step<readonly StoredPassage[]>;
}

/** Returns whether a listing has so few chunks that they are sorted, whatever their values. */
export function isShort({ chunks }: Listing): boolean {
  return chunks !== null && chunks.length <= MAX_SORTED;
}

/** Returns the filter's limits to the values of a range. A position in the range replaces that at its start. */
export function boundsIn(query: PassagesQuery, { after, past }: Span): readonly RangeNode[] {
  const { start, end } = boundsOf(query);
  const bounds = after === null && past === undefined ? [start, end] : [end];
  return bounds.filter((bound) => bound !== undefined);
}

/** Lists published chunks in the order of a metadata key or of their documents. */
export function* listPassages(reader: PassageReader, query: PassagesQuery): Operation<ListedPassages> {
  const placed: PlacedChunk[] = [];
  for (const { kind, filter, after } of partsOf(query)) {
    // One more than the page has says whether others follow.
    const missing = query.limit + 1 - placed.length;
    if (missing <= 0) break;
    const chunks = filter && (yield* reader.matching(filter));
    const isOther = query.onePerDocument && filter !== query.filter;
    const candidates = isOther ? query.filter && (yield* reader.matching(query.filter)) : chunks;
    placed.push(...(yield* readPart(reader, query, { kind, chunks, candidates }, after, missing)));
  }
  const shown = placed.slice(0, query.limit);
  return {
    passages: yield* reader.passages(shown.map(({ chunkSeq }) => chunkSeq)),
    next: placed.length > query.limit ? (shown.at(-1) ?? null) : null,
    total: query.withTotal ? yield* countPassages(reader, query) : null,
  };
}

function* countPassages(reader: PassageReader, { filter }: PassagesQuery): Operation<number> {
  const chunks = filter && (yield* reader.matching(filter));
  return chunks?.length === 0 ? 0 : yield* reader.count({ kind: null, chunks, candidates: chunks });
}

/** Returns the first chunks of a part of the order after a position. */
function* readPart(
  reader: PassageReader,
  query: PassagesQuery,
  listing: Listing,
  after: ListPosition | null,
  limit: number,
): Operation<readonly PlacedChunk[]> {
  if (listing.chunks?.length === 0) return [];
  if (listing.kind === null || isShort(listing)) return yield* readSpan(reader, query, listing, { after }, limit);
  const found: PlacedChunk[] = [];
  const first = after === null || after.value === null ? null : comparedValue(after.value);
  let span: Span = { after };
  while (found.length < limit) {
    const next = yield* reader.nextValue(listing, span, MAX_SORTED + 1);
    if (next === null) break;
    const { value, count } = next;
    const missing = limit - found.length;
    if (count <= MAX_SORTED) return [...found, ...(yield* readSpan(reader, query, listing, span, missing))];
    const isStarted = span.after !== null && value === first;
    const ofValue = { after: isStarted ? after : null, value };
    found.push(...(yield* readSpan(reader, query, listing, ofValue, missing)));
    span = { after: null, past: value };
  }
  return found;
}

/** Returns the first chunks of a range. */
function* readSpan(
  reader: PassageReader,
  { onePerDocument }: PassagesQuery,
  listing: Listing,
  span: Span,
  limit: number,
): Operation<readonly PlacedChunk[]> {
  const { chunks } = listing;
  if (chunks === null || isShort(listing) || onePerDocument) return yield* reader.rows(listing, span, limit, true);
  const tested = yield* reader.rows(listing, span, TESTED_PER_CHUNK * limit, false);
  const found = tested.filter(({ chunkSeq }) => chunks[lowerBound(chunks, chunkSeq)] === chunkSeq).slice(0, limit);
  if (found.length === limit || tested.length < TESTED_PER_CHUNK * limit) return found;
  const rest = { ...span, after: tested.at(-1)! };
  return [...found, ...(yield* reader.rows(listing, rest, limit - found.length, true))];
}
