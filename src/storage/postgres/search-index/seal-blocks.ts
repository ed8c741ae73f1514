import { bytesToVector } from "../../../util/float32-bytes.js";
import { encodeRecord, recordBytes } from "../../../vector-scan/record.js";
import { vectorTable } from "../../vector-sets.js";
import { remedyOf } from "../failures.js";
import { type MergedBlock, mergeBlocks } from "./merge-blocks.js";
import { type BlockDocument, PostingsBlock } from "./postings-block.js";
import { type RecordRun, storeRecordRuns } from "./record-runs.js";
import { MAX_CHANGES } from "./scope-changes.js";
import type { Snapshot } from "./snapshot.js";

/** The greatest number of chunks of a new block, as a multiple of the least, without the rest of its last document. */
const MAX_BLOCK_FACTOR = 8;

/** What a block is made of. */
interface Sources {
  readonly blocks: readonly MergedBlock[];
  /** The blocks that the new one replaces. */
  readonly replaced: readonly number[];
  /** The generations that the new block has, with their parts and blocks gone. */
  readonly documents: readonly BlockDocument[];
}

/**
 * Joins the parts of many published documents, or a block of which half is dead or whose vectors are of another set than
 * searches use, to a new block with their vector records. Returns false if there was nothing to do. A reader's snapshot has either the parts or the block.
 *
 * @param blockChunks The number of published chunks in a scope's parts for a block.
 * @param failed The scopes whose last step failed, perhaps because a block is damaged. They are left out until there is
 *   nothing to do in the others. Changed by the call.
 */
export async function sealBlocks(db: Snapshot, blockChunks: number, failed: Set<number>): Promise<boolean> {
  const scope = await findWork(db, blockChunks, [...failed]);
  if (!scope) {
    failed.clear();
    return false;
  }
  try {
    return await sealScope(db, scope, blockChunks);
  } catch (error) {
    if (remedyOf(error) === "report") failed.add(scope.id);
    throw error;
  }
}

async function sealScope(db: Snapshot, scope: Work, blockChunks: number): Promise<boolean> {
  const [locked] = await db.rows<{ locked: boolean; epoch: number; vectorSet: number }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('lorebase search_blocks'), id::int) AS locked, epoch,
       vector_set AS "vectorSet" FROM scopes WHERE id = ?`,
    scope.id,
  );
  // Another process is at it.
  if (!locked?.locked) return false;
  const sources = await (scope.hasDeadBlock
    ? readDeadBlock(db, scope.id)
    : readParts(db, scope.id, MAX_BLOCK_FACTOR * blockChunks));
  const { dimensions, runs } = await readRecords(db, locked.vectorSet, sources.documents);
  const generations = new Map(sources.documents.map(({ documentSeq, generation }) => [documentSeq, generation]));
  const stored = mergeBlocks(
    sources.blocks,
    ({ documentSeq, generation }) => generations.get(documentSeq) === generation,
  );
  if (!(await lockUnchanged(db, scope.id, locked, sources.documents))) return true;
  await replaceSources(db, scope.id, sources);
  const chunks = sources.documents.reduce((sum, document) => sum + document.chunks, 0);
  // A block without chunks would always count as half dead.
  if (chunks > 0) {
    const records = storeRecordRuns(runs, dimensions);
    await insertBlock(
      db,
      { scopeId: scope.id, vectorSet: locked.vectorSet, chunks, ...stored, dimensions, records },
      sources.documents,
    );
  }
  return true;
}

interface Work {
  readonly id: number;
  /** Whether a block of the scope is to be replaced; otherwise there are parts. */
  readonly hasDeadBlock: boolean;
}

/** A block of which half is dead, or whose records are of a set of vectors that searches of its scope don't use. */
const OUTDATED = "(b.dead * 2 >= b.chunks OR b.vector_set <> s.vector_set)";

async function findWork(db: Snapshot, blockChunks: number, except: readonly number[]): Promise<Work | undefined> {
  const [dead] = await db.rows<{ id: number }>(
    "SELECT scope_id AS id FROM search_blocks WHERE dead * 2 >= chunks AND scope_id <> ALL(?::bigint[]) LIMIT 1",
    except,
  );
  if (dead) return { id: dead.id, hasDeadBlock: true };
  const [other] = await db.rows<{ id: number }>(
    `SELECT s.id FROM search_blocks b JOIN scopes s ON s.id = b.scope_id
     WHERE b.vector_set <> s.vector_set AND s.id <> ALL(?::bigint[]) LIMIT 1`,
    except,
  );
  if (other) return { id: other.id, hasDeadBlock: true };
  const [full] = await db.rows<{ id: number }>(
    `SELECT p.scope_id AS id FROM (
       SELECT scope_id FROM keyword_parts WHERE scope_id <> ALL(?::bigint[]) GROUP BY scope_id HAVING sum(chunks) >= ?) f
     JOIN keyword_parts p ON p.scope_id = f.scope_id
     JOIN documents d ON d.seq = p.document_seq AND d.generation = p.generation
     GROUP BY p.scope_id HAVING sum(p.chunks) >= ? LIMIT 1`,
    ...[except, blockChunks, blockChunks],
  );
  return full && { id: full.id, hasDeadBlock: false };
}

interface StoredWords {
  readonly words: Uint8Array;
  readonly positions: Uint8Array;
}

async function readDeadBlock(db: Snapshot, scopeId: number): Promise<Sources> {
  const [row] = await db.copy(
    { id: "bigint", words: "bytes", positions: "bytes" },
    `SELECT b.id, b.words, b.positions FROM search_blocks b JOIN scopes s ON s.id = b.scope_id
     WHERE s.id = ? AND ${OUTDATED} ORDER BY b.id LIMIT 1`,
    scopeId,
  );
  if (!row) return { blocks: [], replaced: [], documents: [] };
  const documents = await db.rows<BlockDocument>(
    `SELECT b.document_seq AS "documentSeq", b.generation, b.chunks FROM block_documents b
     JOIN documents d ON d.seq = b.document_seq AND d.generation = b.generation WHERE b.block = ?`,
    row.id,
  );
  return { blocks: [toMerged(row)], replaced: [row.id], documents };
}

async function readParts(db: Snapshot, scopeId: number, maxChunks: number): Promise<Sources> {
  const documents = await db.rows<BlockDocument>(
    `SELECT "documentSeq", generation, chunks FROM (
       SELECT p.document_seq AS "documentSeq", p.generation, sum(p.chunks)::bigint AS chunks,
         (sum(sum(p.chunks)) OVER (ORDER BY min(p.first_chunk)))::bigint AS total
       FROM keyword_parts p JOIN documents d ON d.seq = p.document_seq AND d.generation = p.generation
       WHERE p.scope_id = ? GROUP BY 1, 2) f
     WHERE total - chunks < ? ORDER BY 1`,
    scopeId,
    maxChunks,
  );
  const rows = await db.copy(
    { words: "bytes", positions: "bytes" },
    `SELECT p.words, p.positions FROM unnest(?::bigint[], ?::bigint[]) AS given (seq, generation)
     JOIN keyword_parts p ON p.document_seq = given.seq AND p.generation = given.generation ORDER BY p.first_chunk`,
    documents.map(({ documentSeq }) => documentSeq),
    documents.map(({ generation }) => generation),
  );
  return { blocks: rows.map(toMerged), replaced: [], documents };
}

function toMerged({ words, positions }: StoredWords): MergedBlock {
  return { block: new PostingsBlock(words), positions };
}

/** Computes the records of documents from their vectors, if those have the same dimensions. */
async function readRecords(
  db: Snapshot,
  vectorSet: number,
  documents: readonly BlockDocument[],
): Promise<{ readonly dimensions: number; readonly runs: readonly RecordRun[] }> {
  const rows = await db.copy(
    { documentSeq: "bigint", generation: "bigint", chunk: "bigint", vector: "bytes" },
    `SELECT v.document_seq AS "documentSeq", v.generation, v.chunk_seq AS chunk, v.vector
     FROM unnest(?::bigint[], ?::bigint[]) AS given (seq, generation)
     JOIN ${vectorTable(vectorSet)} v ON v.document_seq = given.seq AND v.generation = given.generation ORDER BY 1, v.chunk_seq`,
    documents.map(({ documentSeq }) => documentSeq),
    documents.map(({ generation }) => generation),
  );
  const bytes = rows[0]?.vector.byteLength ?? 0;
  if (rows.length === 0 || rows.some(({ vector }) => vector.byteLength !== bytes)) return { dimensions: 0, runs: [] };
  const dimensions = bytes / 4;
  const size = recordBytes(dimensions);
  const records = new Uint8Array(rows.length * size);
  for (const [index, { chunk, vector }] of rows.entries())
    encodeRecord(bytesToVector(vector), chunk, records, index * size);
  const runs: RecordRun[] = [];
  for (let from = 0; from < rows.length; ) {
    const { documentSeq, generation } = rows[from]!;
    let to = from;
    while (rows[to]?.documentSeq === documentSeq) to++;
    runs.push({ documentSeq, generation, records: records.subarray(from * size, to * size) });
    from = to;
  }
  return { dimensions, runs };
}

/** Locks the scope until the transaction ends. Returns false if one of the documents or the set of vectors has changed. */
async function lockUnchanged(
  db: Snapshot,
  scopeId: number,
  { epoch, vectorSet }: { readonly epoch: number; readonly vectorSet: number },
  documents: readonly BlockDocument[],
): Promise<boolean> {
  const [scope] = await db.rows<{ epoch: number; vectorSet: number }>(
    'SELECT epoch, vector_set AS "vectorSet" FROM scopes WHERE id = ? FOR NO KEY UPDATE',
    scopeId,
  );
  // Older changes have been removed.
  if (!scope || scope.vectorSet !== vectorSet || scope.epoch - epoch >= MAX_CHANGES) return false;
  const changed = await db.rows(
    "SELECT 1 AS changed FROM scope_changes WHERE scope_id = ? AND epoch > ? AND document_seq = ANY(?::bigint[]) LIMIT 1",
    scopeId,
    epoch,
    documents.map(({ documentSeq }) => documentSeq),
  );
  return changed.length === 0;
}

async function replaceSources(db: Snapshot, scopeId: number, { replaced, documents }: Sources): Promise<void> {
  await db.rows(
    `DELETE FROM keyword_parts p USING unnest(?::bigint[], ?::bigint[]) AS given (seq, generation)
     WHERE p.scope_id = ? AND p.document_seq = given.seq AND p.generation = given.generation`,
    documents.map(({ documentSeq }) => documentSeq),
    documents.map(({ generation }) => generation),
    scopeId,
  );
  if (replaced.length > 0) await db.rows("DELETE FROM search_blocks WHERE id = ANY(?::bigint[])", replaced);
}

interface NewBlock extends StoredWords {
  readonly scopeId: number;
  readonly vectorSet: number;
  readonly chunks: number;
  readonly dimensions: number;
  readonly records: Uint8Array;
}

async function insertBlock(db: Snapshot, block: NewBlock, documents: readonly BlockDocument[]): Promise<void> {
  const [row] = await db.rows<{ id: number }>(
    `INSERT INTO search_blocks (scope_id, vector_set, chunks, words, positions, dimensions, records)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    ...[block.scopeId, block.vectorSet, block.chunks, block.words, block.positions, block.dimensions, block.records],
  );
  await db.rows(
    `INSERT INTO block_documents (document_seq, generation, block, chunks)
     SELECT seq, generation, ?::bigint, chunks FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS given (seq, generation, chunks)`,
    row!.id,
    documents.map(({ documentSeq }) => documentSeq),
    documents.map(({ generation }) => generation),
    documents.map(({ chunks }) => chunks),
  );
}
