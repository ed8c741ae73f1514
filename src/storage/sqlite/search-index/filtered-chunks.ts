import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import type { SearchScope } from "../../search-index.js";
import type { SqlFragment } from "../../tx.js";
import { filterToQuery, sharesJsonElement } from "../filter-sql.js";
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
 * Returns the chunks of a scope that match a filter, ascending and without duplicates; some may be unpublished. The
 * list is cached until the epoch changes, since the metadata of published chunks never changes.
 */
export function filteredChunks(
  db: Statements,
  searched: SearchedScope,
  { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode },
): Float64Array {
  return cachedList(db, searched, JSON.stringify(filter), () => filterToQuery(filter, { scope, scopeId: searched.id }));
}

/**
 * Returns the published chunks of a scope that principals may see, ascending; `null` for the owner, who sees all.
 */
export function visibleChunks(
  db: Statements,
  searched: SearchedScope,
  { principals = null }: SearchScope,
): Float64Array | null {
  if (principals === null) return null;
  const key = JSON.stringify(principals);
  return cachedList(db, searched, key, () => ({
    sql: `SELECT c.seq FROM documents d CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
      WHERE d.scope_id = ? AND d.generation > 0 AND d.seq NOT IN (
        SELECT seq FROM documents WHERE scope_id = ? AND allow IS NOT NULL AND NOT ${sharesJsonElement("allow")})`,
    parameters: [searched.id, searched.id, key],
  }));
}

/** Returns the chunks that a query finds, ascending. Caches the list until the epoch changes. */
function cachedList(
  db: Statements,
  { id, epoch }: SearchedScope,
  name: string,
  toQuery: () => SqlFragment,
): Float64Array {
  const cache = caches.get(db) ?? new LruCache<string, Entry>(LIMITS);
  caches.set(db, cache);
  const key = `${id} ${name}`;
  const cached = cache.get(key);
  if (cached?.epoch === epoch) return cached.chunks;
  const chunks = readAscending(db, toQuery());
  cache.delete(key);
  // The cache would keep an oversized list until the next insertion.
  if (sizeOf(chunks, key) <= MAX_BYTES) cache.set(key, { epoch, chunks });
  return chunks;
}

function readAscending(db: Statements, { sql, parameters }: SqlFragment): Float64Array {
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
