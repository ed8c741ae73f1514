import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import type { SearchScope } from "../../search-index.js";
import { MAX_VISIBLE_CHANGES, toVisibleChunks, type VisibleChunks, withChanges } from "../../visible-chunks.js";
import { filterToQuery, sharesJsonElement } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import type { SearchedScope } from "./find-scope.js";
import { changesSince } from "./scope-changes.js";

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

interface VisibleEntry extends VisibleChunks {
  readonly epoch: number;
}

const VISIBLE_LIMITS = {
  maxEntries: 256,
  maxSize: MAX_BYTES,
  sizeOf: ({ chunks }: VisibleEntry, key: string) => 2 * sizeOf(chunks, key),
};

const visibleCaches = new WeakMap<Statements, LruCache<string, VisibleEntry>>();

/**
 * Returns the published chunks of a scope that principals may see, ascending; `null` for the owner, who sees all. The list
 * is cached, and the same until the epoch changes; then only the documents that changed are read.
 */
export function visibleChunks(
  db: Statements,
  searched: SearchedScope,
  { principals = null }: SearchScope,
): Float64Array | null {
  if (principals === null) return null;
  const cache = visibleCaches.get(db) ?? new LruCache<string, VisibleEntry>(VISIBLE_LIMITS);
  visibleCaches.set(db, cache);
  const readers = JSON.stringify(principals);
  const key = `${searched.id} ${readers}`;
  const cached = cache.get(key);
  if (cached?.epoch === searched.epoch) return cached.chunks;
  const changed = cached ? changesSince(db, searched, cached.epoch) : null;
  const visible =
    cached && changed && changed.size <= MAX_VISIBLE_CHANGES
      ? withChanges(cached, changed, readVisible(db, searched.id, readers, changed))
      : readVisible(db, searched.id, readers, null);
  const entry = { epoch: searched.epoch, ...visible };
  cache.delete(key);
  if (VISIBLE_LIMITS.sizeOf(entry, key) <= MAX_BYTES) cache.set(key, entry);
  return entry.chunks;
}

/** Reads the chunks that principals may see: of some documents, or of all. */
function readVisible(
  db: Statements,
  scopeId: number,
  readers: string,
  documents: ReadonlySet<number> | null,
): VisibleChunks {
  const some = documents === null ? "" : " AND d.seq IN (SELECT value FROM json_each(?))";
  const hidden = `SELECT seq FROM documents WHERE scope_id = ? AND allow IS NOT NULL AND NOT ${sharesJsonElement("allow")}`;
  const isVisible =
    documents === null ? `d.seq NOT IN (${hidden})` : `(d.allow IS NULL OR ${sharesJsonElement("d.allow")})`;
  const { chunks, owners } = db.get<{ chunks: string; owners: string }>(
    `SELECT json_group_array(c.seq) AS chunks, json_group_array(d.seq) AS owners
     FROM documents d CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     WHERE d.scope_id = ? AND d.generation > 0 AND ${isVisible}${some}`,
    scopeId,
    ...(documents === null ? [scopeId, readers] : [readers, JSON.stringify([...documents])]),
  )!;
  return toVisibleChunks(JSON.parse(chunks), JSON.parse(owners));
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
