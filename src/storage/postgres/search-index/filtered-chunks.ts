import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import type { SearchScope } from "../../search-index.js";
import { MAX_VISIBLE_CHANGES, type VisibleChunks, withChanges } from "../../visible-chunks.js";
import { filterToQuery, filterToSql, sharesJsonElement } from "./filter-sql.js";
import { readIntegers } from "./published-documents.js";
import { changesSince, isSameState, type ScopeState, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

interface Entry {
  readonly state: ScopeState;
  readonly chunks: Float64Array;
}

interface VisibleEntry extends VisibleChunks {
  readonly state: ScopeState;
}

/** The maximum size of the cached lists and their keys. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Lists of the chunks that match filters, cached until the scope changes. */
export class FilteredChunks {
  readonly #cache = new LruCache<string, Entry>({
    maxEntries: 256,
    maxSize: MAX_BYTES,
    sizeOf: ({ chunks }, key) => sizeOf(chunks, key),
  });

  readonly #visible = new LruCache<string, VisibleEntry>({
    maxEntries: 256,
    maxSize: MAX_BYTES,
    sizeOf: ({ chunks }, key) => 2 * sizeOf(chunks, key),
  });

  /** Returns the chunks of a scope that match a filter, ascending and without duplicates; some may be unpublished. */
  async list(db: Snapshot, searched: SearchedScope, scope: Scope, filter: FilterNode): Promise<Float64Array> {
    const key = `${searched.id} ${JSON.stringify(filter)}`;
    const cached = this.#cache.get(key);
    if (cached && isSameState(cached.state, searched)) return cached.chunks;
    const { sql, parameters } = filterToQuery(filter, { scope, scopeId: searched.id });
    const [row] = await db.rows<{ chunks: Uint8Array | null }>(
      `SELECT string_agg(int8send(chunk), '' ORDER BY chunk) AS chunks FROM (SELECT DISTINCT chunk FROM (${sql}) f) f`,
      ...parameters,
    );
    const chunks = readIntegers(row!.chunks);
    this.#cache.delete(key);
    // The cache would keep an oversized list until the next insertion.
    if (sizeOf(chunks, key) <= MAX_BYTES) this.#cache.set(key, { state: searched, chunks });
    return chunks;
  }

  /**
   * Returns the published chunks of a scope that principals may see, ascending; `null` for the owner, who sees all. The list
   * is cached, and the same until the scope changes; then only the documents that changed are read.
   */
  async listVisible(
    db: Snapshot,
    searched: SearchedScope,
    { principals = null }: SearchScope,
  ): Promise<Float64Array | null> {
    if (principals === null) return null;
    const readers = JSON.stringify(principals);
    const key = `${searched.id} ${readers}`;
    const cached = this.#visible.get(key);
    if (cached && isSameState(cached.state, searched)) return cached.chunks;
    const changes = cached ? await changesSince(db, searched, cached.state) : null;
    const changed = changes && new Set(changes.map(({ seq }) => seq));
    const visible =
      cached && changed && changed.size <= MAX_VISIBLE_CHANGES
        ? withChanges(cached, changed, await readVisible(db, searched.id, readers, changed))
        : await readVisible(db, searched.id, readers, null);
    const entry = { state: searched, ...visible };
    this.#visible.delete(key);
    if (2 * sizeOf(entry.chunks, key) <= MAX_BYTES) this.#visible.set(key, entry);
    return entry.chunks;
  }
}

/** Reads the chunks that principals may see: of some documents, or of all. */
async function readVisible(
  db: Snapshot,
  scopeId: number,
  readers: string,
  documents: ReadonlySet<number> | null,
): Promise<VisibleChunks> {
  const some = documents === null ? "" : " AND d.seq = ANY(?::bigint[])";
  const [row] = await db.rows<{ chunks: Uint8Array | null; owners: Uint8Array | null }>(
    `SELECT string_agg(int8send(c.seq), '' ORDER BY c.seq) AS chunks, string_agg(int8send(d.seq), '' ORDER BY c.seq) AS owners
     FROM documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     WHERE d.scope_id = ? AND d.generation > 0 AND (d.allow IS NULL OR ${sharesJsonElement("d.allow")})${some}`,
    ...[scopeId, readers, ...(documents === null ? [] : [[...documents]])],
  );
  return { chunks: readIntegers(row!.chunks), documents: readIntegers(row!.owners) };
}

/** Returns which of the given chunks match a filter. */
export async function applyFilter(
  db: Snapshot,
  scopeId: number,
  { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode },
  chunkSeqs: readonly number[],
): Promise<ReadonlySet<number>> {
  const { sql, parameters } = filterToSql(filter, { scope, scopeId, chunkSeqColumn: "given.chunk" });
  const passing = await db.rows<{ chunk: number }>(
    `SELECT given.chunk FROM unnest(?::bigint[]) AS given (chunk) WHERE ${sql}`,
    chunkSeqs,
    ...parameters,
  );
  return new Set(passing.map(({ chunk }) => chunk));
}

function sizeOf(chunks: Float64Array, key: string): number {
  return chunks.byteLength + 2 * key.length;
}
