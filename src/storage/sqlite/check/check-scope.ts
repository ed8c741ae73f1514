import { closeSync } from "node:fs";
import { recordBytes } from "../../../vector-scan/record.js";
import type { DerivedPart, ScopeProblem } from "../../check/storage-inspection.js";
import { metadataRows } from "../../metadata-rows.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { createKeywordTable, dropKeywordTable, KEYWORD_TEXT_SQL, keywordTableName } from "../keywords/keyword-table.js";
import { NUMBERS_PER_RUN, openRecordFile, type RecordFile, readFully } from "../record-file.js";
import { documentRecords } from "../search-index/document-records.js";
import { rebuiltUpTo } from "../search-index/keyword-rebuild.js";
import { activeVectorSet } from "../search-index/scope-changes.js";
import { vectorFilePath } from "../search-index/vector-files.js";
import type { Statements } from "../statements.js";
import { readProblems } from "./check-database.js";

/** The number of chunks whose words or metadata are compared at once. */
const CHUNKS_PER_STEP = 500;

/** Compares a scope's keyword table, metadata index, vector files and count with its chunks and vectors. */
export function checkScope(db: Statements, { scopeId }: { readonly scopeId: number }): readonly ScopeProblem[] {
  const scope = db.get<{ chunks: number; keyword_table: number }>(
    "SELECT chunks, keyword_table FROM scopes WHERE id = ?",
    scopeId,
  );
  if (!scope) return [];
  const check = (part: DerivedPart, find: () => readonly string[]): readonly ScopeProblem[] =>
    readProblems(find, (message) => `SQLite: ${message}.`).map((problem) => ({ part, problem }));
  return [
    ...check("count", () => checkCount(db, scopeId, scope.chunks)),
    ...(scope.keyword_table ? check("keywords", () => checkKeywords(db, scopeId)) : []),
    ...check("metadata", () => checkMetadata(db, scopeId)),
    ...check("records", () => checkRecords(db, scopeId)),
  ];
}

function checkCount(db: Statements, scopeId: number, counted: number): readonly string[] {
  const [stored] = db.column<number>("SELECT count(*) FROM chunks WHERE scope_id = ?", scopeId);
  return stored === counted ? [] : [`The scope counts ${counted} chunks and has ${stored}.`];
}

/** Compares the words of each chunk, by number and a sum over the places of its words, with those of a new table. */
function checkKeywords(db: Statements, scopeId: number): readonly string[] {
  const stored = readWords(db, "main", scopeId);
  const problems: string[] = [];
  let differing = 0;
  let chunks = 0;
  for (let after = 0; ; ) {
    const last = addToTemporaryTable(db, scopeId, after);
    if (last === null) break;
    try {
      for (const [chunk, words] of readWords(db, "temp", scopeId)) {
        chunks++;
        if (stored.get(chunk) !== words) differing++;
      }
    } finally {
      dropWords(db, "temp", scopeId);
      dropKeywordTable(db, "temp", scopeId);
    }
    after = last;
  }
  if (differing > 0) problems.push(`The keyword index has other words than the text of ${differing} chunks.`);
  // A table that is about to be replaced may have words of removed chunks.
  if (stored.size > chunks && rebuiltUpTo(db, scopeId) === null)
    problems.push(`The keyword index has words of ${stored.size - chunks} chunks that don't exist.`);
  return problems;
}

/** Indexes some chunks in a temporary table. Returns the last of them; `null` if there are no more. */
function addToTemporaryTable(db: Statements, scopeId: number, after: number): number | null {
  const [last] = db.column<number | null>(
    `SELECT max(seq) FROM (SELECT seq FROM chunks WHERE scope_id = ? AND seq > ? ORDER BY seq LIMIT ${CHUNKS_PER_STEP})`,
    scopeId,
    after,
  );
  if (last === null || last === undefined) return null;
  dropKeywordTable(db, "temp", scopeId);
  createKeywordTable(db, "temp", scopeId);
  db.run(
    `INSERT INTO ${keywordTableName("temp", scopeId)} (rowid, text)
     SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE scope_id = ? AND seq > ? AND seq <= ?`,
    ...[scopeId, after, last],
  );
  return last;
}

/** Returns, for each chunk of a table, its length and a sum over its words and their places. */
function readWords(db: Statements, schema: "main" | "temp", scopeId: number): ReadonlyMap<number, string> {
  dropWords(db, schema, scopeId);
  const name = `checked_words_${schema}_${scopeId}`;
  db.exec(`CREATE VIRTUAL TABLE temp.${name} USING fts5vocab(${schema}, keywords_${scopeId}, instance)`);
  const sums = new Map<number, number>();
  let term = "";
  let termSum = 0;
  for (const [word, chunk, offset] of db.rows<[string, number, number]>(
    `SELECT term, doc, "offset" FROM temp.${name}`,
  )) {
    if (word !== term) {
      term = word;
      termSum = sumOf(word);
    }
    // Whole numbers below 2^53, whose sum doesn't depend on the order of the words.
    sums.set(chunk, (sums.get(chunk) ?? 0) + (Math.imul(termSum ^ offset, 0x9e3779b1) >>> 0));
  }
  const lengths = db.all<{ id: number; length: string }>(
    `SELECT id, hex(sz) AS length FROM ${keywordTableName(schema, scopeId)}_docsize`,
  );
  dropWords(db, schema, scopeId);
  const words = new Map(lengths.map(({ id, length }) => [id, `${length} ${sums.get(id) ?? 0}`]));
  for (const [chunk, sum] of sums) if (!words.has(chunk)) words.set(chunk, `- ${sum}`);
  return words;
}

function dropWords(db: Statements, schema: "main" | "temp", scopeId: number): void {
  db.exec(`DROP TABLE IF EXISTS temp.checked_words_${schema}_${scopeId}`);
}

/** FNV-1a. */
function sumOf(word: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) sum = Math.imul(sum ^ word.charCodeAt(index), 0x01000193);
  return sum;
}

/** Compares the rows of the metadata index with the metadata of the chunks. */
function checkMetadata(db: Statements, scopeId: number): readonly string[] {
  const stored = new Map<number, number>();
  for (const [chunk, key, kind, value] of db.rows<[number, string, string, string | number]>(
    "SELECT chunk_seq, key, kind, value FROM chunk_metadata WHERE scope_id = ?",
    scopeId,
  ))
    addRow(stored, chunk, { key, kind, value });
  const expected = new Map<number, number>();
  for (let after = 0; ; ) {
    const rows = db.all<ChunkRow & { seq: number }>(
      `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.scope_id = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
      ...[scopeId, after, CHUNKS_PER_STEP],
    );
    for (const row of rows) {
      // What a damaged chunk should have is unknown; the chunk itself is found by its hash.
      if (!isSound(row)) {
        stored.delete(row.seq);
        continue;
      }
      const distinct = new Map(
        metadataRows(JSON.parse(row.metadata), JSON.parse(row.headings)).map((each) => [JSON.stringify(each), each]),
      );
      for (const each of distinct.values()) addRow(expected, row.seq, each);
    }
    if (rows.length < CHUNKS_PER_STEP) break;
    after = rows.at(-1)!.seq;
  }
  let differing = 0;
  for (const [chunk, sum] of expected) if (stored.get(chunk) !== sum) differing++;
  for (const chunk of stored.keys()) if (!expected.has(chunk)) differing++;
  return differing === 0 ? [] : [`The metadata index differs from the metadata of ${differing} chunks.`];
}

interface IndexedValue {
  readonly key: string;
  readonly kind: string;
  readonly value: string | number;
}

function addRow(sums: Map<number, number>, chunk: number, { key, kind, value }: IndexedValue): void {
  sums.set(chunk, (sums.get(chunk) ?? 0) + (sumOf(JSON.stringify([key, kind, value])) >>> 0) + 1);
}

/** Compares the vector files of a scope with the records of its published vectors. A file may be missing. */
function checkRecords(db: Statements, scopeId: number): readonly string[] {
  const vectorSet = activeVectorSet(db, scopeId);
  // Files of another set are not read.
  const files = db.all<{ name: string; dimensions: number; records: number }>(
    "SELECT name, dimensions, records FROM vector_files WHERE scope_id = ? AND vector_set = ? ORDER BY id",
    scopeId,
    vectorSet,
  );
  return files.flatMap((listed) => {
    const path = vectorFilePath(db, listed.name);
    const file = path === null ? null : openRecordFile(path, listed);
    if (!file) return [];
    try {
      return isEqualToVectors(db, vectorSet, file, listed.dimensions)
        ? []
        : [`The vector file ${listed.name} differs from the vectors in the database.`];
    } finally {
      closeSync(file.descriptor);
    }
  });
}

function isEqualToVectors(db: Statements, vectorSet: number, file: RecordFile, dimensions: number): boolean {
  const size = recordBytes(dimensions);
  for (let run = 0, row = 0; run < file.runs.length; run += NUMBERS_PER_RUN) {
    const [document, generation, count] = [file.runs[run]!, file.runs[run + 1]!, file.runs[run + 2]!];
    const filed = new Uint8Array(count * size);
    readFully(file.descriptor, filed, file.recordsOffset + row * size);
    row += count;
    // Records of generations that are no longer published are dead.
    const [computed] = documentRecords(db, vectorSet, [document]);
    if (computed?.generation !== generation) continue;
    if (Buffer.compare(filed, computed.records) !== 0) return false;
  }
  return true;
}
