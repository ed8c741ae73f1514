import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { vectorKeyTable } from "../vector-sets.js";
import { findReembedding, type NamespaceRef } from "./reembedding-rows.js";
import type { ReembeddingRow } from "./row-types.js";

// Finds the chunks that have no vector in the set that searches don't use, by the keys of the vectors that they do use,
// in the database or in a vector store: every published chunk has one. Each step looks at a bounded number of keys:
// SQLite's reader also serves searches, and PostgreSQL's statements have a time limit.

/** The keys that one step looks at, which takes some milliseconds. */
const STEP_KEYS = 5000;
/** The scopes that one step looks at: small ones cost a query each. */
const STEP_SCOPES = 100;

/** A position in the order of scopes and their chunks: the last chunk that was looked at. */
export interface ChunkCursor {
  readonly scopeId: number;
  readonly chunkSeq: number;
}

/** A chunk without a vector in a set. */
export interface UnembeddedChunk {
  readonly scopeId: number;
  readonly chunkSeq: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly ordinal: number;
  /** The text that is embedded. */
  readonly text: string;
  /**
   * Its vector by the same model in the set that searches use, and that vector's hash; `null` if it has to be embedded.
   */
  readonly vector: Uint8Array | null;
  readonly vectorHash: number | null;
  readonly documentId: string;
  /** The number of chunks in the published generation of its document. */
  readonly totalChunks: number;
  /** `null` for content without a tenant. */
  readonly tenantId: string | null;
  readonly page: number | null;
  /** As JSON. */
  readonly headings: string;
  /** As JSON. */
  readonly metadata: string;
}

/** The chunks that a step has found, and where the next one begins: `null` if all have been looked at. */
export interface UnembeddedChunks {
  readonly chunks: readonly UnembeddedChunk[];
  readonly cursor: ChunkCursor | null;
}

interface MissingQuery extends NamespaceRef {
  /** The set that searches don't use. */
  readonly vectorSet: number;
  readonly cursor: ChunkCursor;
  /** The maximum number of chunks to return. */
  readonly limit: number;
  /** Whether to look at published generations only, or also at later ones, which may be published next. */
  readonly isPublished: boolean;
}

/** The tables with the keys of the vectors of both sets. */
interface KeyTables {
  readonly used: ReturnType<typeof vectorKeyTable>;
  readonly unused: ReturnType<typeof vectorKeyTable>;
  /** Whether the used ones are in the database, and of the same model. */
  readonly areCopied: boolean;
}

function keyTables({ vector_set, in_store, used_in_store, same_model }: ReembeddingRow): KeyTables {
  return {
    // The sets have different parities.
    used: vectorKeyTable(vector_set + 1, used_in_store === 1),
    unused: vectorKeyTable(vector_set, in_store === 1),
    areCopied: same_model === 1 && used_in_store === 0,
  };
}

/**
 * Looks at some chunks after a position, and returns those that have no vector in a set, in their order. Finds none if
 * searches use the set by now, or it is gone.
 */
export function* readUnembeddedChunks(tx: Tx, query: MissingQuery): Operation<UnembeddedChunks> {
  const { namespaceId, cursor, limit, vectorSet } = query;
  const row = yield* findReembedding(tx, namespaceId);
  if (row?.vector_set !== vectorSet) return { chunks: [], cursor: null };
  const tables = keyTables(row);
  const scopes = yield* tx.all<{ id: number }>(
    "SELECT id FROM scopes WHERE namespace_id = ? AND id >= ? ORDER BY id LIMIT ?",
    ...[namespaceId, cursor.scopeId, STEP_SCOPES + 1],
  );
  const chunks: UnembeddedChunk[] = [];
  let keys = STEP_KEYS;
  for (const { id } of scopes.slice(0, STEP_SCOPES)) {
    const after = id === cursor.scopeId ? cursor.chunkSeq : 0;
    const { count, last } = yield* readKeys(tx, tables, id, after, keys);
    if (last === null) continue;
    chunks.push(...(yield* findMissing(tx, tables, query, id, [after, last], limit - chunks.length)));
    if (chunks.length === limit) return { chunks, cursor: chunks.at(-1)! };
    keys -= count;
    if (keys === 0) return { chunks, cursor: { scopeId: id, chunkSeq: last } };
  }
  const next = scopes[STEP_SCOPES];
  return { chunks, cursor: next ? { scopeId: next.id, chunkSeq: 0 } : null };
}

/** Returns how many chunks of a scope follow a position, up to a limit, and the last of them. */
function* readKeys(
  tx: Tx,
  { used }: KeyTables,
  scopeId: number,
  after: number,
  limit: number,
): Operation<{ readonly count: number; readonly last: number | null }> {
  return (yield* tx.get<{ count: number; last: number | null }>(
    `SELECT count(*) AS count, max(chunk_seq) AS last FROM
       (SELECT chunk_seq FROM ${used} WHERE scope_id = ? AND chunk_seq > ? ORDER BY chunk_seq LIMIT ?) AS keys`,
    ...[scopeId, after, limit],
  ))!;
}

function* findMissing(
  tx: Tx,
  { used, unused, areCopied }: KeyTables,
  { isPublished }: MissingQuery,
  scopeId: number,
  [after, last]: readonly [after: number, last: number],
  limit: number,
): Operation<readonly UnembeddedChunk[]> {
  return yield* tx.all<UnembeddedChunk>(
    `SELECT c.scope_id AS "scopeId", c.seq AS "chunkSeq", c.document_seq AS "documentSeq", c.generation, c.ordinal,
       coalesce(c.index_text, c.text) AS text, ${areCopied ? "u.vector, u.hash" : "NULL AS vector, NULL"} AS "vectorHash", d.id AS "documentId", d.total_chunks AS "totalChunks", d.tenant_id AS "tenantId", c.page, c.headings, c.metadata
     FROM ${used} u
     LEFT JOIN ${unused} v ON v.chunk_seq = u.chunk_seq
     JOIN chunks c ON c.seq = u.chunk_seq
     JOIN documents d ON d.seq = c.document_seq AND ${isPublished ? "d.generation > 0 AND c.generation =" : "c.generation >="} d.generation
     WHERE u.scope_id = ? AND u.chunk_seq > ? AND u.chunk_seq <= ? AND v.chunk_seq IS NULL ORDER BY u.chunk_seq LIMIT ?`,
    ...[scopeId, after, last, limit],
  );
}

/** What a look for missing vectors in the set that searches don't use has found. */
export interface SetCheck {
  readonly vectorSet: number;
  readonly isComplete: boolean;
  /** The epochs of the scopes before the look: what is published since is to be looked at again. */
  readonly scopes: readonly ScopeEpoch[];
}

interface ScopeEpoch {
  readonly id: number;
  readonly epoch: number;
}

/**
 * Begins a look for published chunks without a vector, which goes on with {@link readUnembeddedChunks}; `null` if the
 * namespace has one set of vectors only.
 */
export function* beginSetCheck(tx: Tx, { namespaceId }: NamespaceRef): Operation<Omit<SetCheck, "isComplete"> | null> {
  const row = yield* findReembedding(tx, namespaceId);
  return row ? { vectorSet: row.vector_set, scopes: yield* readEpochs(tx, namespaceId) } : null;
}

/** Reads the scopes of a namespace, by default without locking them. */
export function* readEpochs(tx: Tx, namespaceId: string, locking = ""): Operation<readonly ScopeEpoch[]> {
  return yield* tx.all<ScopeEpoch>(
    `SELECT id, epoch FROM scopes WHERE namespace_id = ? ORDER BY id ${locking}`,
    namespaceId,
  );
}

/**
 * Returns whether what was published since a check, which found every vector, has its vectors too. False if that is not
 * known, so that all chunks have to be looked at again.
 */
export function* isCompleteSince(
  tx: Tx,
  row: ReembeddingRow,
  check: SetCheck,
  scopes: readonly ScopeEpoch[],
): Operation<boolean> {
  const before = new Map(check.scopes.map(({ id, epoch }) => [id, epoch]));
  for (const { id, epoch } of scopes) {
    const since = before.get(id) ?? 0;
    if (epoch === since) continue;
    const { changes } = (yield* tx.get<{ changes: number }>(
      "SELECT count(*) AS changes FROM scope_changes WHERE scope_id = ? AND epoch > ?",
      ...[id, since],
    ))!;
    // Old changes are deleted, and a repair records none.
    if (changes !== epoch - since) return false;
    const missing = yield* tx.get(
      `SELECT 1 AS missing FROM scope_changes s JOIN documents d ON d.seq = s.document_seq
       JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
       LEFT JOIN ${keyTables(row).unused} v ON v.chunk_seq = c.seq
       WHERE s.scope_id = ? AND s.epoch > ? AND d.generation > 0 AND v.chunk_seq IS NULL LIMIT 1`,
      ...[id, since],
    );
    if (missing !== undefined) return false;
  }
  return true;
}
