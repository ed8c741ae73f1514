import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import { filterToQuery } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import type { SearchedScope } from "./find-scope.js";

interface Entry {
  readonly epoch: number;
  readonly chunks: Float64Array;
}

/** The maximum size of a connection's cached lists and their keys. */
const MAX_BYTES = 32 * 1024 * 1024;
const LIMITS = { maxEntries: 256, maxSize: MAX_BYTES, sizeOf: ({ chunks }: Entry, key: string) => sizeOf(chunks, key) };

const caches = new WeakMap<Statements, LruCache<string, Entry>>();

/**
 * Returns the chunks of a scope that match a filter, ascending and without duplicates; some may be unpublished. Caches
 * the list until the epoch changes, since the metadata of published chunks never changes.
 */
export function filteredChunks(
  db: Statements,
  searched: SearchedScope,
  { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode },
): Float64Array {
  const cache = caches.get(db) ?? new LruCache<string, Entry>(LIMITS);
  caches.set(db, cache);
  const { id, epoch } = searched;
  const key = `${id} ${JSON.stringify(filter)}`;
  const cached = cache.get(key);
  if (cached?.epoch === epoch) return cached.chunks;
  const chunks = matchingChunks(db, { scope, scopeId: id }, filter);
  cache.delete(key);
  // The cache would keep an oversized list until the next insertion.
  if (sizeOf(chunks, key) <= MAX_BYTES) cache.set(key, { epoch, chunks });
  return chunks;
}

function matchingChunks(
  db: Statements,
  target: { readonly scope: Scope; readonly scopeId: number },
  filter: FilterNode,
): Float64Array {
  const { sql, parameters } = filterToQuery(filter, target);
  // The chunks are joined into one text, since reading as many rows takes twice as long.
  const [joined] = db.column<string>(
    `WITH matching (chunk) AS (${sql}) SELECT json_group_array(chunk) FROM matching`,
    ...parameters,
  );
  const chunks = new Float64Array(JSON.parse(joined!));
  let isAscending = true;
  for (let index = 1; index < chunks.length; index++) isAscending &&= chunks[index - 1]! < chunks[index]!;
  // The rows of a single value are already in order.
  if (isAscending) return chunks;
  return chunks.sort().filter((chunk, index, sorted) => index === 0 || chunk !== sorted[index - 1]);
}

function sizeOf(chunks: Float64Array, key: string): number {
  return chunks.byteLength + 2 * key.length;
}
