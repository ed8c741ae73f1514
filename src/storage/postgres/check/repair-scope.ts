import { KnowledgeBaseError } from "../../../errors.js";
import type { DerivedPart } from "../../check/storage-inspection.js";
import type { Operation } from "../../operation.js";
import { CHUNK_COLUMNS, type ChunkRow } from "../../stored-chunk.js";
import { analyzeTexts } from "../search-index/analyzed-chunks.js";
import type { IndexDatabase, IndexTx } from "../search-index/index-database.js";
import { insertMetadata, insertParts } from "../search-index/index-writer.js";
import { type BlockDocument, PostingsBlock } from "../search-index/postings-block.js";
import { MAX_CHANGES } from "../search-index/scope-changes.js";
import { compareMetadata, compareWords, type IndexUnit } from "./check-scope.js";

/** The number of chunks of a document that become one part. */
const CHUNKS_PER_PART = 500;
/** A scope is compared so often, since maintenance may move damaged words to a new block before they are replaced. */
const MAX_COMPARISONS = 5;

type WrittenPart = Parameters<typeof insertParts>[1][number];

/**
 * Builds a part of a scope's index again from its chunks, where it differs from them. Each step is a transaction that
 * ingest and searches don't wait for longer than for another ingest. Maintenance computes the vector records of the new
 * parts.
 *
 * @param database Its writes must not be those of the ingest, which would wait for them
 * @throws KnowledgeBaseError `store_failed` if the words still differ after several attempts
 */
export async function repairScope(
  database: IndexDatabase,
  { scopeId, part }: { readonly scopeId: number; readonly part: DerivedPart },
): Promise<void> {
  if (part === "metadata") {
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      after = await database.write((tx) => repairMetadata(tx, scopeId, from));
    }
    await database.write((tx) => removeOrphans(tx, scopeId));
  } else {
    await repairWords(database, scopeId);
  }
  await database.write((tx) => forgetIndexes(tx, scopeId));
}

/** Replaces what differs until nothing does. */
async function repairWords(database: IndexDatabase, scopeId: number): Promise<void> {
  for (let comparisons = 1; ; comparisons++) {
    const { damaged } = await database.read((tx) => compareWords(tx, scopeId));
    if (damaged.length === 0) return;
    if (comparisons === MAX_COMPARISONS) {
      const message =
        `The keyword index of scope ${scopeId} still differs from its texts in ${damaged.length} places after ` +
        `${MAX_COMPARISONS - 1} repairs: stop other processes, and repair it again.`;
      throw new KnowledgeBaseError("store_failed", message);
    }
    for (const unit of damaged) while (!(await database.write((tx) => rebuildWords(tx, scopeId, unit))));
  }
}

/** Repairs the rows of some chunks in the metadata index. Returns the last chunk; `null` if there are no more. */
function* repairMetadata(tx: IndexTx, scopeId: number, after: number): Operation<number | null> {
  const { differing, last } = yield* compareMetadata(tx, scopeId, after);
  if (differing.length === 0) return last;
  // Whoever removes a chunk waits, and then finds the rows that are written here. A chunk that is gone gets none.
  const locked = yield* tx.all<{ seq: number }>(
    "SELECT seq FROM chunks WHERE seq = ANY(?::bigint[]) ORDER BY seq FOR NO KEY UPDATE",
    differing.map(({ seq }) => seq),
  );
  const seqs = new Set(locked.map(({ seq }) => seq));
  yield* tx.exec("DELETE FROM chunk_metadata WHERE scope_id = ? AND chunk_seq = ANY(?::bigint[])", scopeId, [...seqs]);
  yield* insertMetadata(
    tx,
    differing.filter(({ seq }) => seqs.has(seq)),
  );
  return last;
}

/** Removes rows of chunks that don't exist. A chunk and its rows become visible at once. */
function* removeOrphans(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec(
    `DELETE FROM chunk_metadata m WHERE m.scope_id = ?
       AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.seq = m.chunk_seq AND c.scope_id = m.scope_id)`,
    scopeId,
  );
}

/**
 * Replaces a block, or the parts of a document, by parts that are computed from the chunks. Like maintenance, it computes
 * them without the scope's lock. Returns false if one of the documents has changed meanwhile.
 */
function* rebuildWords(tx: IndexTx, scopeId: number, unit: IndexUnit): Operation<boolean> {
  // Maintenance joins parts to blocks under this lock.
  yield* tx.exec("SELECT pg_advisory_xact_lock(hashtext('lorebase search_blocks'), ?::int)", scopeId);
  const scope = yield* tx.get<{ epoch: number }>("SELECT epoch FROM scopes WHERE id = ?", scopeId);
  if (!scope) return true;
  const documents = yield* documentsOf(tx, unit);
  const parts: WrittenPart[] = [];
  for (const document of documents) parts.push(...(yield* computeParts(tx, scopeId, document)));
  const seqs = documents.map(({ documentSeq }) => documentSeq);
  yield* tx.exec("SELECT id FROM scopes WHERE id = ? FOR NO KEY UPDATE", scopeId);
  const changed = yield* tx.get(
    "SELECT 1 AS changed FROM scope_changes WHERE scope_id = ? AND epoch > ? AND document_seq = ANY(?::bigint[]) LIMIT 1",
    ...[scopeId, scope.epoch, seqs],
  );
  if (changed) return false;
  yield* tx.exec(
    `DELETE FROM keyword_parts p USING documents d
     WHERE p.document_seq = ANY(?::bigint[]) AND d.seq = p.document_seq AND d.generation = p.generation`,
    seqs,
  );
  if ("block" in unit) yield* tx.exec("DELETE FROM search_blocks WHERE id = ?", unit.block);
  yield* insertParts(tx, parts);
  return true;
}

interface PublishedDocument {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Returns the published documents whose words are in a unit or should be, without those that are in another block. */
function* documentsOf(tx: IndexTx, unit: IndexUnit): Operation<readonly PublishedDocument[]> {
  const block = "block" in unit ? unit.block : null;
  const seqs = block === null ? [(unit as { documentSeq: number }).documentSeq] : yield* seqsInBlock(tx, block);
  return yield* tx.all<PublishedDocument>(
    `SELECT d.seq AS "documentSeq", d.generation FROM documents d
     LEFT JOIN block_documents b ON b.document_seq = d.seq AND b.generation = d.generation
     WHERE d.generation > 0 AND (b.block = ? OR (b.block IS NULL AND d.seq = ANY(?::bigint[]))) ORDER BY d.seq`,
    block,
    seqs,
  );
}

/** Returns the documents that the bytes of a block have, if those can be read. */
function* seqsInBlock(tx: IndexTx, id: number): Operation<readonly number[]> {
  const row = yield* tx.get<{ words: Uint8Array }>("SELECT words FROM search_blocks WHERE id = ?", id);
  if (!row) return [];
  try {
    return [...new PostingsBlock(row.words).documents()].map(({ documentSeq }: BlockDocument) => documentSeq);
  } catch {
    // Whatever is wrong with the bytes, the table of the block's documents says what it should have.
    return [];
  }
}

function* computeParts(
  tx: IndexTx,
  scopeId: number,
  { documentSeq, generation }: PublishedDocument,
): Operation<readonly WrittenPart[]> {
  const parts: WrittenPart[] = [];
  for (let after = 0; ; ) {
    const rows = yield* tx.all<ChunkRow & { seq: number }>(
      `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c
       WHERE c.document_seq = ? AND c.generation = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
      ...[documentSeq, generation, after, CHUNKS_PER_PART],
    );
    const [first] = rows;
    if (first) {
      const texts = rows.map(({ indexText, text }) => indexText ?? text);
      const part = analyzeTexts({ documentSeq, generation, stemming: first.stemming, texts });
      parts.push({ documentSeq, generation, scopeId, chunkSeqs: rows.map((row) => row.seq), part });
    }
    if (rows.length < CHUNKS_PER_PART) return parts;
    after = rows.at(-1)!.seq;
  }
}

/** Raises the scope's epoch so far that every index of it in memory is loaded again. */
function* forgetIndexes(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec("UPDATE scopes SET epoch = epoch + ?::bigint WHERE id = ?", MAX_CHANGES + 1, scopeId);
}
