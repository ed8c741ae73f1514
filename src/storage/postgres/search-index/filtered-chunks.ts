import type { FilterNode } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { LruCache } from "../../../util/lru-cache.js";
import type { SearchScope } from "../../search-index.js";
import { filterToQuery, filterToSql, type IndexFragment, sharesJsonElement } from "./filter-sql.js";
import { readIntegers } from "./published-documents.js";
import { isSameState, type ScopeState, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

interface Entry {
  readonly state: ScopeState;
  readonly chunks: Float64Array;
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

  /** Returns the chunks of a scope that match a filter, ascending and without duplicates; some may be unpublished. */
  async list(db: Snapshot, searched: SearchedScope, scope: Scope, filter: FilterNode): Promise<Float64Array> {
    const toQuery = () => filterToQuery(filter, { scope, scopeId: searched.id });
    return this.#list(db, searched, JSON.stringify(filter), toQuery);
  }

  /** Returns the published chunks of a scope that principals may see, ascending; `null` for the owner, who sees all. */
  async listVisible(
    db: Snapshot,
    searched: SearchedScope,
    { principals = null }: SearchScope,
  ): Promise<Float64Array | null> {
    if (principals === null) return null;
    const key = JSON.stringify(principals);
    return this.#list(db, searched, key, () => ({
      sql: `SELECT c.seq AS chunk FROM documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
        WHERE d.scope_id = ? AND d.generation > 0 AND d.seq NOT IN (
          SELECT seq FROM documents WHERE scope_id = ? AND allow IS NOT NULL AND NOT ${sharesJsonElement("allow")})`,
      parameters: [searched.id, searched.id, key],
    }));
  }

  async #list(
    db: Snapshot,
    searched: SearchedScope,
    name: string,
    toQuery: () => IndexFragment,
  ): Promise<Float64Array> {
    const key = `${searched.id} ${name}`;
    const cached = this.#cache.get(key);
    if (cached && isSameState(cached.state, searched)) return cached.chunks;
    const { sql, parameters } = toQuery();
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
