import { UNSTEMMED } from "../../../text-analysis/stemming.js";
import { bytesToVector } from "../../../util/float32-bytes.js";
import { encodeRecord, recordBytes } from "../../../vector-scan/record.js";
import type { ScopeProblem } from "../../check/storage-inspection.js";
import type { Operation } from "../../operation.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { vectorTable } from "../../vector-sets.js";
import { analyzeTexts } from "../search-index/analyzed-chunks.js";
import { type StoredBlock, setChunkSeqs } from "../search-index/block-form.js";
import type { IndexTx } from "../search-index/index-database.js";
import { type MetadataColumns, type MetadataOwner, metadataColumns } from "../search-index/index-writer.js";
import { mergeBlocks } from "../search-index/merge-blocks.js";
import { type BlockDocument, PostingsBlock } from "../search-index/postings-block.js";
import { RecordRuns } from "../search-index/record-runs.js";

/** The number of chunks whose metadata is compared at once. */
const CHUNKS_PER_STEP = 500;

/** The words of some documents, in a part or in a block. */
interface StoredWords {
  readonly words: Uint8Array;
  readonly positions: Uint8Array;
  readonly dimensions: number;
  readonly records: Uint8Array;
  /** The set of vectors that the records are of. */
  readonly vectorSet: number;
}

/** A block of the keyword index, or the words of a document that is in none. */
export type IndexUnit = { readonly block: number } | { readonly documentSeq: number };

/** What a comparison of a scope's words and vector records has found. */
interface WordFindings {
  readonly units: number;
  readonly differingWords: number;
  readonly differingRecords: number;
  /** Whether published documents have other numbers of chunks in the index than in their rows. */
  readonly isMiscounted: boolean;
  /** What to build again. */
  readonly damaged: readonly IndexUnit[];
}

/** Compares a scope's words, vector records and metadata index with its chunks and vectors. */
export function* checkScope(
  tx: IndexTx,
  { scopeId }: { readonly scopeId: number },
): Operation<readonly ScopeProblem[]> {
  const problems: ScopeProblem[] = [];
  const { units, differingWords, differingRecords, isMiscounted } = yield* compareWords(tx, scopeId);
  if (differingWords > 0) {
    const problem = `The keyword index has other words than the texts in ${differingWords} of its ${units} blocks.`;
    problems.push({ part: "keywords", problem });
  } else if (isMiscounted)
    problems.push({ part: "keywords", problem: "The keyword index lacks the words of published chunks." });
  if (differingRecords > 0) {
    const problem = `The vector records differ from the vectors in ${differingRecords} of ${units} blocks.`;
    problems.push({ part: "records", problem });
  }
  const differing = yield* checkMetadata(tx, scopeId);
  if (differing > 0) {
    const problem = `The metadata index differs from the metadata of ${differing} chunks.`;
    problems.push({ part: "metadata", problem });
  }
  return problems;
}

/** Compares the words and vector records of published documents with their chunks and vectors. */
export function* compareWords(tx: IndexTx, scopeId: number): Operation<WordFindings> {
  const units = yield* tx.all<{ documentSeq: number | null; id: number; generation: number; first: number }>(
    `SELECT p.document_seq AS "documentSeq", 0 AS id, p.generation, p.first_chunk AS first FROM keyword_parts p
     JOIN documents d ON d.seq = p.document_seq AND d.generation = p.generation WHERE p.scope_id = ?
     UNION ALL SELECT NULL, id, 0, 0 FROM search_blocks WHERE scope_id = ?`,
    scopeId,
    scopeId,
  );
  const activeSet = (yield* tx.get<{ vectorSet: number }>(
    'SELECT vector_set AS "vectorSet" FROM scopes WHERE id = ?',
    scopeId,
  ))!.vectorSet;
  const indexed = new Map<number, number>();
  const holders = new Map<number, IndexUnit[]>();
  const damaged: IndexUnit[] = [];
  let differingWords = 0;
  let differingRecords = 0;
  for (const { documentSeq, id, generation, first } of units) {
    const stored = (yield* tx.get<StoredWords>(
      documentSeq === null
        ? `SELECT words, positions, dimensions, records, vector_set AS "vectorSet" FROM search_blocks WHERE id = ?`
        : `SELECT words, positions, 0 AS dimensions, ''::bytea AS records, 0 AS "vectorSet" FROM keyword_parts
           WHERE document_seq = ? AND generation = ? AND first_chunk = ?`,
      ...(documentSeq === null ? [id] : [documentSeq, generation, first]),
    ))!;
    const unit = documentSeq === null ? { block: id } : { documentSeq };
    const counted = new Map<number, number>();
    const result = yield* checkWords(tx, stored, activeSet, counted);
    for (const [seq, chunks] of counted) {
      indexed.set(seq, (indexed.get(seq) ?? 0) + chunks);
      holders.set(seq, [...(holders.get(seq) ?? []), unit]);
    }
    if (!result.words) differingWords++;
    if (!result.records) differingRecords++;
    if (!result.words || !result.records) damaged.push(unit);
  }
  const miscounted = yield* tx.all<{ seq: number; block: number | null }>(
    `SELECT c.seq, b.block FROM (
       SELECT d.seq, d.generation, count(*) AS chunks FROM documents d
       JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
       WHERE d.scope_id = ? GROUP BY d.seq) c
     LEFT JOIN unnest(?::bigint[], ?::bigint[]) AS given (seq, chunks) ON given.seq = c.seq
     LEFT JOIN block_documents b ON b.document_seq = c.seq AND b.generation = c.generation
     WHERE c.chunks <> coalesce(given.chunks, 0)`,
    ...[scopeId, [...indexed.keys()], [...indexed.values()]],
  );
  for (const { seq, block } of miscounted)
    damaged.push(...(holders.get(seq) ?? []), ...(block === null ? [] : [{ block }]), { documentSeq: seq });
  return { units: units.length, differingWords, differingRecords, isMiscounted: miscounted.length > 0, damaged };
}

/** Compares stored words and records with what is computed from chunks and vectors. Counts published chunks by document. */
function* checkWords(
  tx: IndexTx,
  stored: StoredWords,
  activeSet: number,
  indexed: Map<number, number>,
): Operation<{ readonly words: boolean; readonly records: boolean }> {
  let block: PostingsBlock;
  let documents: readonly BlockDocument[];
  try {
    block = new PostingsBlock(stored.words);
    documents = [...block.documents()];
  } catch {
    // Whatever is wrong with the bytes, they aren't those of a block.
    return { words: false, records: true };
  }
  const published = yield* tx.all<{ seq: number; generation: number }>(
    "SELECT seq, generation FROM documents WHERE seq = ANY(?::bigint[])",
    documents.map(({ documentSeq }) => documentSeq),
  );
  const generations = new Map(published.map(({ seq, generation }) => [seq, generation]));
  const isPublished = (document: { readonly documentSeq: number; readonly generation: number }) =>
    generations.get(document.documentSeq) === document.generation;
  for (const document of documents.filter(isPublished))
    indexed.set(document.documentSeq, (indexed.get(document.documentSeq) ?? 0) + document.chunks);
  const expected = yield* buildWords(tx, block, documents.filter(isPublished));
  let isSame = false;
  try {
    const kept = mergeBlocks([{ block, positions: stored.positions }], isPublished);
    isSame = equal(kept.words, expected.words) && equal(kept.positions, expected.positions);
  } catch {
    // The postings can't be read.
  }
  // Readers ignore records of another set.
  const records = stored.vectorSet !== activeSet || (yield* hasRecordsOfVectors(tx, stored, isPublished));
  return { words: isSame, records };
}

/** Computes the words of documents from their chunks. */
function* buildWords(tx: IndexTx, block: PostingsBlock, documents: readonly BlockDocument[]): Operation<StoredBlock> {
  const places = new Map([...block.chunkSeqs].map((seq, index) => [seq, index]));
  const rows = yield* tx.all<ChunkRow & { seq: number }>(
    `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.seq = ANY(?::bigint[])`,
    [...block.chunkSeqs],
  );
  const built = documents.map(({ documentSeq, generation }) => {
    const own = rows
      .filter((row) => row.documentSeq === documentSeq && row.generation === generation)
      .sort((a, b) => places.get(a.seq)! - places.get(b.seq)!);
    const texts = own.map(({ indexText, text }) => indexText ?? text);
    const part = analyzeTexts({ documentSeq, generation, stemming: own[0]?.stemming ?? UNSTEMMED, texts });
    setChunkSeqs(
      part.words,
      own.map(({ seq }) => seq),
    );
    return { block: new PostingsBlock(part.words), positions: part.positions };
  });
  return mergeBlocks(built);
}

function* hasRecordsOfVectors(
  tx: IndexTx,
  { dimensions, records, vectorSet }: StoredWords,
  isPublished: (document: { readonly documentSeq: number; readonly generation: number }) => boolean,
): Operation<boolean> {
  if (records.byteLength === 0 || dimensions === 0) return true;
  const size = recordBytes(dimensions);
  for (const run of new RecordRuns(records, dimensions).runs) {
    if (!isPublished(run)) continue;
    const stale = yield* tx.get(
      "SELECT 1 AS stale FROM block_documents WHERE document_seq = ? AND generation = ? AND stale_records",
      ...[run.documentSeq, run.generation],
    );
    if (stale) continue;
    const vectors = yield* tx.all<{ chunk: number; vector: Uint8Array }>(
      `SELECT chunk_seq AS chunk, vector FROM ${vectorTable(vectorSet)}
       WHERE document_seq = ? AND generation = ? ORDER BY chunk_seq`,
      ...[run.documentSeq, run.generation],
    );
    const computed = new Uint8Array(vectors.length * size);
    if (vectors.some(({ vector }) => vector.byteLength !== dimensions * 4)) return false;
    for (const [index, { chunk, vector }] of vectors.entries())
      encodeRecord(bytesToVector(vector), chunk, computed, index * size);
    if (!equal(computed, run.records)) return false;
  }
  return true;
}

/** Counts the chunks whose rows in the metadata index aren't those of their metadata. */
function* checkMetadata(tx: IndexTx, scopeId: number): Operation<number> {
  let differing = 0;
  for (let after: number | null = 0; after !== null; ) {
    const step: ComparedMetadata = yield* compareMetadata(tx, scopeId, after);
    differing += step.differing.length;
    after = step.last;
  }
  const orphans = (yield* tx.get<{ chunks: number }>(
    `SELECT count(DISTINCT m.chunk_seq) AS chunks FROM chunk_metadata m
     WHERE m.scope_id = ? AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.seq = m.chunk_seq AND c.scope_id = m.scope_id)`,
    scopeId,
  ))!;
  return differing + orphans.chunks;
}

interface ComparedMetadata {
  /** The chunks whose rows differ. */
  readonly differing: readonly MetadataOwner[];
  /** The last chunk that was compared; `null` if there are no more. */
  readonly last: number | null;
}

/** Compares the metadata of some chunks with their rows in the metadata index. */
export function* compareMetadata(tx: IndexTx, scopeId: number, after: number): Operation<ComparedMetadata> {
  const rows = yield* tx.all<ChunkRow & { seq: number }>(
    `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.scope_id = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
    ...[scopeId, after, CHUNKS_PER_STEP],
  );
  // What a damaged chunk should have is unknown; the chunk itself is found by its hash.
  const owners = rows.filter(isSound).map(({ seq, metadata, headings }): MetadataOwner => {
    return { seq, scopeId, metadata: JSON.parse(metadata), headings: JSON.parse(headings) };
  });
  const stored = yield* tx.all<{ key: Uint8Array; kind: string; value: Uint8Array; chunk: number }>(
    `SELECT key || coalesce(key_rest, '') AS key, kind::text AS kind, value || coalesce(value_rest, '') AS value,
       chunk_seq AS chunk FROM chunk_metadata WHERE scope_id = ? AND chunk_seq = ANY(?::bigint[])`,
    scopeId,
    owners.map(({ seq }) => seq),
  );
  const expected = rowsByChunk(metadataColumns(owners));
  const found = new Map<number, string[]>();
  for (const { key, kind, value, chunk } of stored) add(found, chunk, rowText(key, kind, value));
  const differing = owners.filter(
    ({ seq }) => JSON.stringify(expected.get(seq)?.sort()) !== JSON.stringify(found.get(seq)?.sort()),
  );
  return { differing, last: rows.length < CHUNKS_PER_STEP ? null : rows.at(-1)!.seq };
}

function rowsByChunk(columns: MetadataColumns): Map<number, string[]> {
  const rows = new Map<number, string[]>();
  for (const [index, chunk] of columns.chunkSeqs.entries()) {
    const [key, value] = [columns.keys[index]!, columns.values[index]!];
    const whole = (start: Uint8Array, rest: Uint8Array | null) => (rest ? Buffer.concat([start, rest]) : start);
    const text = rowText(
      whole(key, columns.keyRests[index]!),
      columns.kinds[index]!,
      whole(value, columns.valueRests[index]!),
    );
    add(rows, chunk, text);
  }
  return rows;
}

function rowText(key: Uint8Array, kind: string, value: Uint8Array): string {
  return `${Buffer.from(key).toString("hex")} ${kind} ${Buffer.from(value).toString("hex")}`;
}

function add(rows: Map<number, string[]>, chunk: number, text: string): void {
  const texts = rows.get(chunk) ?? [];
  rows.set(chunk, texts);
  texts.push(text);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
