import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordBytes } from "../../../vector-scan/record.js";
import type { SqlValue } from "../../tx.js";
import { type RecordRun, writeRecordFile } from "../record-file.js";
import type { Statements } from "../statements.js";
import { type DocumentRecords, documentRecords } from "./document-records.js";

// Computing the records of a scope from its vectors takes some microseconds for each, and the vectors are scattered in
// the database. So the records of published documents are also written to files, which a starting reader loads at the
// speed of the disk. A file is written in the transaction that lists it, never changes, and has a unique name, so a
// listed file is complete, even in a copy of the directory from another day. It may be missing: its records can be
// computed again.
//
// A document's records in a file are valid while that generation is published. The file is replaced when half of its
// records are dead. If vectors of a published generation change, all records of the file count as dead.

/** Minimum bytes of records for which a file is written. */
const FILE_BYTES = 512 * 1024;
/** Maximum files per transaction. */
const MAX_FILES = 32;
/** Maximum files per step of maintenance, which is repeated until none is left. */
const MAX_MAINTAINED_FILES = 4;
/** A scope with fewer records in no file is left alone by maintenance: computing them takes a few milliseconds. */
const MIN_MAINTAINED_RECORDS = 1024;
/** Changes of a scope after which its records in no file are counted for the first time. */
const FIRST_COUNT = 16;
/** Changes after which a file is written for any number of records. Fewer than the recorded changes of a scope. */
const MAX_UNFILED_CHANGES = 16_384;
/** Changes between two attempts after that. */
const LATE_INTERVAL = 256;
/** A file that is not listed belongs to a transaction in progress, or to one that was rolled back. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
/** Error codes of Windows for a file that is open elsewhere. */
const OPEN_ELSEWHERE: ReadonlySet<string> = new Set(["EBUSY", "EPERM", "EACCES"]);

interface FiledDocument {
  readonly file: number;
  readonly generation: number;
  readonly records: number;
}

interface PendingFile {
  readonly dimensions: number;
  readonly documents: DocumentRecords[];
  bytes: number;
}

interface WriteOptions {
  /** @default 512 KiB */
  readonly fileBytes?: number;
  /** @default 32 */
  readonly maxFiles?: number;
}

/** `null` for a database in memory. */
export function vectorFilePath(db: Statements, name: string): string | null {
  const folder = folderOf(db);
  return folder && join(folder, name);
}

/**
 * Whether to call {@link writeVectorFiles} after so many changes: at each power of two, since it looks at all of them.
 *
 * @param changes Changes of the scope since its last file.
 */
export function isFileWritingDue(changes: number): boolean {
  if (changes > MAX_UNFILED_CHANGES) return changes % LATE_INTERVAL === 0;
  return changes >= FIRST_COUNT && (changes & (changes - 1)) === 0;
}

/**
 * Writes files of a scope's published documents that are in none, or in one that is half dead, if there are enough.
 * Returns the number of files.
 */
export function writeVectorFiles(
  db: Statements,
  scopeId: number,
  { fileBytes = FILE_BYTES, maxFiles = MAX_FILES }: WriteOptions = {},
): number {
  const folder = folderOf(db);
  const dimensions = dimensionsOf(db, scopeId);
  if (folder === null || dimensions === null) return 0;
  const scope = db.get<{ epoch: number; filed_epoch: number }>(
    "SELECT epoch, filed_epoch FROM scopes WHERE id = ?",
    scopeId,
  )!;
  const changes = scope.epoch - scope.filed_epoch;
  const unfiled = unfiledDocuments(db, scopeId, changes > MAX_UNFILED_CHANGES ? null : scope.filed_epoch);
  const bytes = unfiled.reduce((sum, { chunks }) => sum + chunks, 0) * recordBytes(dimensions);
  if (bytes < fileBytes && changes < MAX_UNFILED_CHANGES) return 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  dropFiles(db, "scope_id = ? AND dead * 2 >= records", scopeId);
  const limits = { fileBytes, maxFiles };
  const { files, whole } = collectFiles(
    documentRecords(
      db,
      unfiled.map(({ seq }) => seq),
    ),
    limits,
  );
  for (const file of files) writeVectorFile(db, scopeId, file, folder);
  // The rest is found among all documents: some of it was in files that have been dropped.
  const filedEpoch = whole ? scope.epoch : scope.epoch - 2 * MAX_UNFILED_CHANGES;
  db.run("UPDATE scopes SET filed_epoch = ? WHERE id = ?", filedEpoch, scopeId);
  return files.length;
}

/** Writes files for any scope with many records in none; returns false if there is none. */
export function maintainVectorFiles(db: Statements): boolean {
  const scopes = db.column<number>(
    `SELECT s.id FROM scopes s WHERE s.chunks >= ? + (
       SELECT coalesce(sum(f.records - f.dead), 0) FROM vector_files f WHERE f.scope_id = s.id)`,
    MIN_MAINTAINED_RECORDS,
  );
  return scopes.some((scopeId) => writeVectorFiles(db, scopeId, { maxFiles: MAX_MAINTAINED_FILES }) > 0);
}

/**
 * Removes the records of one generation of a document, or of all if it is `null`, from their files. A file without
 * records is removed.
 */
export function removeFromFiles(db: Statements, documentSeq: number, generation: number | null): void {
  const filed = db.all<FiledDocument>(
    `DELETE FROM vector_file_documents WHERE document_seq = ?${generation === null ? "" : " AND generation = ?"}
     RETURNING file, generation, records`,
    documentSeq,
    ...(generation === null ? [] : [generation]),
  );
  for (const { file, generation: filedGeneration, records } of filed) {
    // Readers take every record whose generation is published.
    const published = db.get("SELECT 1 FROM documents WHERE seq = ? AND generation = ?", documentSeq, filedGeneration);
    db.run(
      `UPDATE vector_files SET dead = ${published ? "records" : "min(records, dead + ?)"} WHERE id = ?`,
      ...(published ? [] : [records]),
      file,
    );
    dropFiles(db, "id = ? AND NOT EXISTS (SELECT 1 FROM vector_file_documents WHERE file = vector_files.id)", file);
  }
}

/**
 * Compares the list with the folder: all records of a missing file count as dead, and unlisted files that were not
 * written to for an hour are removed.
 */
export function reconcileVectorFiles(db: Statements): void {
  const folder = folderOf(db);
  if (folder === null) return;
  // Listed first, since another process may add files: a listed file exists.
  const listed = db.column<string>("SELECT name FROM vector_files");
  const present = new Set(existsSync(folder) ? readdirSync(folder) : []);
  for (const name of listed)
    if (!present.delete(name)) db.run("UPDATE vector_files SET dead = records WHERE name = ?", name);
  const oldest = Date.now() - STRAY_AFTER_MS;
  for (const name of present) {
    const path = join(folder, name);
    const age = statSync(path, { throwIfNoEntry: false });
    if (age && age.mtimeMs < oldest) removeIfPossible(path);
  }
}

function folderOf(db: Statements): string | null {
  const { memory, name } = db.connection;
  return memory ? null : join(dirname(name), "scan");
}

/** The dimensions of a vector of the scope; `null` if it has none. */
function dimensionsOf(db: Statements, scopeId: number): number | null {
  const [dimensions] = db.column<number>("SELECT length(vector) / 4 FROM vectors WHERE scope_id = ? LIMIT 1", scopeId);
  return dimensions ?? null;
}

/**
 * Published documents that are in no file, or in one that is half dead, in order.
 *
 * @param since The epoch after which documents were changed; `null` for all.
 */
function unfiledDocuments(
  db: Statements,
  scopeId: number,
  since: number | null,
): readonly { readonly seq: number; readonly chunks: number }[] {
  const changed =
    since === null
      ? "d.scope_id = ?"
      : "d.seq IN (SELECT document_seq FROM scope_changes WHERE scope_id = ? AND epoch > ?)";
  const filed =
    "EXISTS (SELECT 1 FROM vector_file_documents f WHERE f.document_seq = d.seq AND f.generation = d.generation)";
  const chunks = "(SELECT count(*) FROM chunks c WHERE c.document_seq = d.seq AND c.generation = d.generation)";
  return db.all(
    `SELECT d.seq, ${chunks} AS chunks FROM documents d WHERE ${changed} AND d.generation > 0 AND NOT ${filed}
     UNION ALL SELECT d.seq, ${chunks} FROM vector_files w CROSS JOIN vector_file_documents f ON f.file = w.id
       CROSS JOIN documents d ON d.seq = f.document_seq AND d.generation = f.generation
       WHERE w.scope_id = ? AND w.dead * 2 >= w.records ORDER BY seq`,
    ...[scopeId, ...(since === null ? [] : [since]), scopeId],
  );
}

/** Groups documents into files by dimensions. `whole` is false if the maximum of files is reached before the end. */
function collectFiles(
  documents: Iterable<DocumentRecords>,
  { fileBytes, maxFiles }: Required<WriteOptions>,
): { readonly files: readonly PendingFile[]; readonly whole: boolean } {
  const files: PendingFile[] = [];
  const open = new Map<number, PendingFile>();
  for (const document of documents) {
    const { dimensions, records } = document;
    if (dimensions === null) continue;
    if (files.length === maxFiles) return { files, whole: false };
    const file = open.get(dimensions) ?? { dimensions, documents: [], bytes: 0 };
    open.set(dimensions, file);
    file.documents.push(document);
    file.bytes += records.byteLength;
    if (file.bytes < fileBytes) continue;
    files.push(file);
    open.delete(dimensions);
  }
  return { files: [...files, ...open.values()], whole: true };
}

function writeVectorFile(db: Statements, scopeId: number, file: PendingFile, folder: string): void {
  const name = randomBytes(16).toString("hex");
  const { dimensions, documents } = file;
  const runs = documents.map(({ document, generation, count }): RecordRun => ({ document, generation, count }));
  const records = documents.map((document) => document.records);
  writeRecordFile(join(folder, name), { name, dimensions, runs, records });
  const { id } = db.get<{ id: number }>(
    "INSERT INTO vector_files (name, scope_id, dimensions, records) VALUES (?, ?, ?, ?) RETURNING id",
    name,
    scopeId,
    dimensions,
    runs.reduce((sum, { count }) => sum + count, 0),
  )!;
  for (const { document, generation, count } of runs)
    db.run("INSERT INTO vector_file_documents VALUES (?, ?, ?, ?)", document, generation, id, count);
}

/** If the transaction is rolled back, a file is listed but missing, which is allowed. */
function dropFiles(db: Statements, condition: string, ...parameters: SqlValue[]): void {
  const names = db.column<string>(`DELETE FROM vector_files WHERE ${condition} RETURNING name`, ...parameters);
  for (const name of names) removeIfPossible(vectorFilePath(db, name)!);
}

/** If the system keeps an open file from being removed, it is removed later. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!OPEN_ELSEWHERE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
