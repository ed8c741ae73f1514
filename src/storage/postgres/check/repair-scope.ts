import type { DerivedPart } from "../../check/storage-inspection.js";
import type { Operation } from "../../operation.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { analyzeTexts } from "../search-index/analyzed-chunks.js";
import type { IndexTx } from "../search-index/index-database.js";
import { insertMetadata, insertParts } from "../search-index/index-writer.js";
import { MAX_CHANGES } from "../search-index/scope-changes.js";

/** The number of chunks that are read at once. */
const CHUNKS_PER_STEP = 500;

/** Builds a part of a scope's index again from its chunks. Maintenance computes the vector records of the new parts. */
export function* repairScope(
  tx: IndexTx,
  { scopeId, part }: { readonly scopeId: number; readonly part: DerivedPart },
): Operation<void> {
  // Maintenance joins parts to blocks under this lock.
  yield* tx.exec("SELECT pg_advisory_xact_lock(hashtext('lorebase search_blocks'), ?::int)", scopeId);
  yield* tx.exec("SELECT id FROM scopes WHERE id = ? FOR NO KEY UPDATE", scopeId);
  if (part === "metadata") yield* rebuildMetadata(tx, scopeId);
  else yield* rebuildWords(tx, scopeId);
  yield* tx.exec("UPDATE scopes SET epoch = epoch + ?::bigint WHERE id = ?", MAX_CHANGES + 1, scopeId);
}

function* rebuildWords(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec(
    `DELETE FROM keyword_parts p USING documents d
     WHERE p.scope_id = ? AND d.seq = p.document_seq AND d.generation = p.generation`,
    scopeId,
  );
  yield* tx.exec("DELETE FROM search_blocks WHERE scope_id = ?", scopeId);
  const documents = yield* tx.all<{ seq: number; generation: number }>(
    "SELECT seq, generation FROM documents WHERE scope_id = ? AND generation > 0 ORDER BY seq",
    scopeId,
  );
  for (const { seq, generation } of documents)
    for (let after = 0; ; ) {
      const rows = yield* tx.all<ChunkRow & { seq: number }>(
        `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c
         WHERE c.document_seq = ? AND c.generation = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
        ...[seq, generation, after, CHUNKS_PER_STEP],
      );
      const [first] = rows;
      if (first) {
        const texts = rows.map(({ indexText, text }) => indexText ?? text);
        const part = analyzeTexts({ documentSeq: seq, generation, stemming: first.stemming, texts });
        yield* insertParts(tx, [
          { documentSeq: seq, generation, scopeId, chunkSeqs: rows.map((row) => row.seq), part },
        ]);
      }
      if (rows.length < CHUNKS_PER_STEP) break;
      after = rows.at(-1)!.seq;
    }
}

function* rebuildMetadata(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec("DELETE FROM chunk_metadata WHERE scope_id = ?", scopeId);
  for (let after = 0; ; ) {
    const rows = yield* tx.all<ChunkRow & { seq: number }>(
      `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.scope_id = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
      ...[scopeId, after, CHUNKS_PER_STEP],
    );
    const chunks = rows.filter(isSound).map(({ seq, metadata, headings }) => {
      return { seq, scopeId, metadata: JSON.parse(metadata), headings: JSON.parse(headings) };
    });
    yield* insertMetadata(tx, chunks);
    if (rows.length < CHUNKS_PER_STEP) break;
    after = rows.at(-1)!.seq;
  }
}
