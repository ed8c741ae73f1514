import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { filterToQuery } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import type { SearchedScope } from "./find-scope.js";

interface Kept {
  readonly epoch: number;
  readonly chunks: Float64Array;
}

/** Maximum size of the lists of one connection, with their filters. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_LISTS = 256;

const kept = new WeakMap<Statements, Map<string, Kept>>();

/**
 * The chunks of a scope that match a filter, ascending, each once; some may be unpublished. Cached until something is
 * published or hidden, since the metadata of published chunks never changes.
 */
export function filteredChunks(
  db: Statements,
  found: SearchedScope,
  { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode },
): Float64Array {
  const lists = kept.get(db) ?? new Map<string, Kept>();
  kept.set(db, lists);
  const key = `${found.id} ${JSON.stringify(filter)}`;
  const known = lists.get(key);
  lists.delete(key);
  const { id, epoch } = found;
  const list = known?.epoch === epoch ? known : { epoch, chunks: chunksMeeting(db, { scope, scopeId: id }, filter) };
  // Moved to the end: the least recently used is evicted first.
  lists.set(key, list);
  trim(lists);
  return list.chunks;
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

function trim(lists: Map<string, Kept>): void {
  const bytesOf = (key: string, { chunks }: Kept) => chunks.byteLength + 2 * key.length;
  let total = 0;
  for (const [key, list] of lists) total += bytesOf(key, list);
  for (const [key, list] of lists) {
    if (total <= MAX_BYTES && lists.size <= MAX_LISTS) return;
    lists.delete(key);
    total -= bytesOf(key, list);
  }
}
