import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import { filterToQuery } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import type { SearchedScope } from "./find-scope.js";

interface Kept {
  readonly epoch: number;
  readonly chunks: Float64Array;
}

/** Maximum size of the lists of one connection, with their filters. */
const MAX_BYTES = 32 * 1024 * 1024;
const LIMITS = { maxEntries: 256, maxSize: MAX_BYTES, sizeOf: ({ chunks }: Kept, key: string) => sizeOf(chunks, key) };

const kept = new WeakMap<Statements, LruCache<string, Kept>>();

/**
 * The chunks of a scope that match a filter, ascending, each once; some may be unpublished. Cached until something is
 * published or hidden, since the metadata of published chunks never changes.
 */
export function filteredChunks(
  db: Statements,
  found: SearchedScope,
  { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode },
): Float64Array {
  const lists = kept.get(db) ?? new LruCache<string, Kept>(LIMITS);
  kept.set(db, lists);
  const { id, epoch } = found;
  const key = `${id} ${JSON.stringify(filter)}`;
  const known = lists.get(key);
  if (known?.epoch === epoch) return known.chunks;
  const chunks = chunksMeeting(db, { scope, scopeId: id }, filter);
  lists.delete(key);
  // The cache would keep one that is too large until the next.
  if (sizeOf(chunks, key) <= MAX_BYTES) lists.set(key, { epoch, chunks });
  return chunks;
}

function chunksMeeting(
  db: Statements,
  target: { readonly scope: Scope; readonly scopeId: number },
  filter: FilterNode,
): Float64Array {
  const { sql, parameters } = filterToQuery(filter, target);
  // As one text: returning a row per value takes twice as long.
  const [met] = db.column<string>(
    `WITH met (chunk) AS (${sql}) SELECT json_group_array(chunk) FROM met`,
    ...parameters,
  );
  const chunks = new Float64Array(JSON.parse(met!));
  let ascending = true;
  for (let index = 1; index < chunks.length; index++) ascending &&= chunks[index - 1]! < chunks[index]!;
  // The index of a single value is already in order.
  if (ascending) return chunks;
  return chunks.sort().filter((chunk, index, sorted) => index === 0 || chunk !== sorted[index - 1]);
}

function sizeOf(chunks: Float64Array, key: string): number {
  return chunks.byteLength + 2 * key.length;
}
