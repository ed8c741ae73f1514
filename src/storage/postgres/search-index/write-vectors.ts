import type { Scope } from "../../../types.js";
import { vectorToBytes } from "../../../util/float32-bytes.js";
import { vectorHash } from "../../content-hash.js";
import type { Operation } from "../../operation.js";
import type { ChunkVector, VectorTarget } from "../../search-index.js";
import { unitVector } from "../../unit-vector.js";
import { vectorTable } from "../../vector-sets.js";
import type { IndexTx } from "./index-database.js";
import { recordChange } from "./scope-changes.js";

/** A document whose vectors were written or removed. `published` says whether a published generation was among them. */
interface ChangedVectors {
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly published: boolean;
}

/** Writes vectors of a set. A vector replaces the chunk's previous one; vectors of removed chunks are ignored. */
export function* writeVectors(tx: IndexTx, vectors: readonly ChunkVector[], vectorSet = 0): Operation<void> {
  if (vectors.length === 0) return;
  const stored = vectors.map(({ vector }) => vectorToBytes(unitVector(vector)));
  const changed = yield* tx.all<ChangedVectors>(
    `WITH written AS (
       INSERT INTO ${vectorTable(vectorSet)} (chunk_seq, scope_id, document_seq, generation, vector, hash)
       SELECT c.seq, c.scope_id, c.document_seq, c.generation, given.vector, given.hash
       FROM (SELECT DISTINCT ON (id, generation, ordinal) *
         FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bytea[], ?::bigint[]) WITH ORDINALITY
           AS g (id, generation, ordinal, vector, hash, place)
         ORDER BY id, generation, ordinal, place DESC) given
       JOIN documents d ON d.id = given.id
       JOIN chunks c ON c.document_seq = d.seq AND c.generation = given.generation AND c.ordinal = given.ordinal
       ON CONFLICT (chunk_seq) DO UPDATE SET vector = excluded.vector, hash = excluded.hash
       RETURNING scope_id, document_seq, generation)
     SELECT DISTINCT w.scope_id AS "scopeId", w.document_seq AS "documentSeq", w.generation,
       d.generation = w.generation AND s.vector_set = ?::bigint AS published
     FROM written w JOIN documents d ON d.seq = w.document_seq JOIN scopes s ON s.id = w.scope_id`,
    vectors.map(({ documentId }) => documentId),
    vectors.map(({ generation }) => generation),
    vectors.map(({ ordinal }) => ordinal),
    stored,
    stored.map(vectorHash),
    vectorSet,
  );
  yield* noteChanges(tx, changed);
}

/** Removes vectors of all sets. Records a change of each document whose published vectors it removes, so that searches see it. */
export function* removeVectors(
  tx: IndexTx,
  { scope, target }: { readonly scope: Scope; readonly target: VectorTarget },
): Operation<void> {
  const documentId = target === "all" ? null : target.documentId;
  const generation = target === "all" ? null : (target.generation ?? null);
  for (const set of [0, 1]) yield* removeVectorsOf(tx, vectorTable(set), { scope, documentId, generation });
}

function* removeVectorsOf(
  tx: IndexTx,
  table: string,
  target: { readonly scope: Scope; readonly documentId: string | null; readonly generation: number | null },
): Operation<void> {
  const { scope, documentId, generation } = target;
  const changed = yield* tx.all<ChangedVectors>(
    `WITH removed AS (
       DELETE FROM ${table} v USING documents d, scopes s
       WHERE s.namespace_id = ? AND coalesce(s.tenant_id, '') = ? AND d.scope_id = s.id AND d.id = coalesce(?::text, d.id)
         AND v.document_seq = d.seq AND v.generation = coalesce(?::bigint, v.generation)
       RETURNING v.scope_id, v.document_seq, v.generation, d.generation AS published)
     SELECT DISTINCT scope_id AS "scopeId", document_seq AS "documentSeq", generation, published = generation AS published
     FROM removed`,
    ...[scope.namespaceId, scope.tenantId ?? "", documentId, generation],
  );
  yield* noteChanges(tx, changed);
}

/** Notes that vectors differ from their records in blocks, and tells indexes to read the published ones again. */
function* noteChanges(tx: IndexTx, changed: readonly ChangedVectors[]): Operation<void> {
  const published = changed.filter((change) => change.published);
  if (published.length === 0) return;
  const scopeIds = new Set(published.map(({ scopeId }) => scopeId));
  for (const scopeId of [...scopeIds].sort((a, b) => a - b)) {
    const documentSeqs = published.filter((change) => change.scopeId === scopeId).map(({ documentSeq }) => documentSeq);
    yield* recordChange(tx, { scopeId, documentSeqs });
  }
  // After the scopes are locked: a block that was being written until then has the documents now.
  yield* tx.exec(
    `UPDATE block_documents b SET stale_records = true FROM unnest(?::bigint[], ?::bigint[]) AS given (seq, generation)
     WHERE b.document_seq = given.seq AND b.generation = given.generation`,
    published.map(({ documentSeq }) => documentSeq),
    published.map(({ generation }) => generation),
  );
}
