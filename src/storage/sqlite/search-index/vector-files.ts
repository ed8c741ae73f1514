import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RecordRun, writeRecordFile } from "../record-file.js";
import type { Statements } from "../statements.js";
import { type DocumentRecords, documentRecords } from "./document-records.js";
import { activeVectorSet, MAX_UNFILED_CHANGES, MIN_FILE_BYTES, recordChange } from "./scope-changes.js";

// Computing a record from its vector takes some microseconds, and a scope's vectors are scattered in the database. So
// maintenance also writes the records of published documents to files, which a reader that starts loads at the speed of
// the disk. A file is written before the transaction that lists it, never changes, and has a unique name, so a listed
// file is complete, even in an old copy of the directory. It may be missing, since its records can be computed again.
//
// A document's records in a file are valid while their generation is published. A file is dropped from the list once
// half of its records are dead, or if vectors of a published generation change. The file's other documents then count
// as changed, so that the next file has them. A dropped file is deleted later, since the transaction may be rolled
// back. Files of a vector set that searches don't use are ignored, and replaced one after the other.

/** The maximum number of files per step of maintenance, which take the writer a tenth of a second. */
const MAX_FILES = 4;
/** The number of changes to read at once. */
const CHANGES_PER_QUERY = 256;
/** The age of unlisted files to delete. A newer one may belong to a pending transaction, or to a reader's snapshot. */
const UNLISTED_FILE_AGE_MS = 60 * 60 * 1000;
const FILE_NAME_PATTERN = /^[\da-f]{32}$/;
/** The error codes of Windows for a file that is open elsewhere. */
const IN_USE_CODES: ReadonlySet<string> = new Set(["EBUSY", "EPERM", "EACCES"]);

interface FileLimits {
  /** The size of records that completes a file. @default 512 KiB */
  readonly fileBytes?: number;
  /** The maximum number of files to write. @default 4 */
  readonly maxFiles?: number;
}

/** A file to be written. */
class PendingFile {
  readonly dimensions: number;
  readonly documents: DocumentRecords[] = [];
  /** The size of the records. */
  bytes = 0;
  /** The epoch of the first change to the documents. */
  readonly firstEpoch: number;

  constructor(dimensions: number, epoch: number) {
    this.dimensions = dimensions;
    this.firstEpoch = epoch;
  }

  add(records: DocumentRecords): void {
    this.documents.push(records);
    this.bytes += records.records.byteLength;
  }
}

/** Returns the path of a vector file; `null` for a database in memory. */
export function vectorFilePath(db: Statements, name: string): string | null {
  const folder = folderOf(db);
  return folder && join(folder, name);
}

/** Writes files for a scope with enough records that are not in files. Returns false if there is no such scope. */
export function maintainVectorFiles(
  db: Statements,
  { shouldReconcile }: { readonly shouldReconcile: boolean },
): boolean {
  if (shouldReconcile) reconcileVectorFiles(db);
  if (replaceFileOfOtherSet(db)) return true;
  // The SQL contains the number itself, so that SQLite uses the partial index.
  const [scopeId] = db.column<number>(`SELECT id FROM scopes WHERE unfiled_bytes >= ${MIN_FILE_BYTES} LIMIT 1`);
  if (scopeId === undefined) return false;
  writeVectorFiles(db, scopeId);
  return true;
}

/** Writes files for a scope's documents that have changed since the last file. Returns the number of files. */
export function writeVectorFiles(
  db: Statements,
  scopeId: number,
  { fileBytes = MIN_FILE_BYTES, maxFiles = MAX_FILES }: FileLimits = {},
): number {
  const folder = folderOf(db);
  if (folder === null) return 0;
  const { files, remainingBytes, filedEpoch } = collectFiles(db, scopeId, { fileBytes, maxFiles });
  const written: string[] = [];
  try {
    for (const file of files) written.push(writeVectorFile(db, scopeId, file, folder));
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
  db.run("UPDATE scopes SET filed_epoch = ? WHERE id = ?", filedEpoch, scopeId);
  if (remainingBytes !== null) db.run("UPDATE scopes SET unfiled_bytes = ? WHERE id = ?", remainingBytes, scopeId);
  return files.length;
}

/**
 * Removes the records of one generation of a document, or of all generations if `null`, from the lists of files of a
 * vector set, or of all if `null`. Doesn't record a change of the document itself.
 */
export function removeFromFiles(
  db: Statements,
  documentSeq: number,
  generation: number | null,
  vectorSet: number | null,
): void {
  const ofSet = " AND file IN (SELECT id FROM vector_files WHERE vector_set = ?)";
  const filed = db.all<{ file: number; generation: number; records: number }>(
    `DELETE FROM vector_file_documents WHERE document_seq = ?${generation === null ? "" : " AND generation = ?"}
     ${vectorSet === null ? "" : ofSet} RETURNING file, generation, records`,
    documentSeq,
    ...(generation === null ? [] : [generation]),
    ...(vectorSet === null ? [] : [vectorSet]),
  );
  for (const { file, generation: filedGeneration, records } of filed) {
    const [isHalfDead] = db.column<number>(
      "UPDATE vector_files SET dead = dead + ? WHERE id = ? RETURNING dead * 2 >= records",
      records,
      file,
    );
    // Readers would still use the records in the file, since their generation is published.
    const isPublished = db.get(
      "SELECT 1 FROM documents WHERE seq = ? AND generation = ?",
      documentSeq,
      filedGeneration,
    );
    if (isHalfDead || isPublished) dropFile(db, file);
  }
}

/** Drops a file of which a quarter of the records are dead from the list. Returns false if there is none. */
export function dropSparseFile(db: Statements): boolean {
  const [file] = db.column<number>("SELECT id FROM vector_files WHERE dead * 4 >= records LIMIT 1");
  if (file === undefined) return false;
  dropFile(db, file);
  return true;
}

/**
 * Replaces a file of a vector set that searches don't use by one with the vectors of the set that they use. Returns false
 * if there is none. The documents have not changed, so indexes in memory stay as they are.
 */
function replaceFileOfOtherSet(db: Statements): boolean {
  const folder = folderOf(db);
  const former = db.get<{ id: number; scopeId: number; vectorSet: number }>(
    `SELECT f.id, f.scope_id AS scopeId, s.vector_set AS vectorSet FROM vector_files f JOIN scopes s ON s.id = f.scope_id
     WHERE f.vector_set <> s.vector_set LIMIT 1`,
  );
  if (folder === null || !former) return false;
  const documents = publishedDocumentsOf(db, former.id);
  db.run("DELETE FROM vector_files WHERE id = ?", former.id);
  const filesByDimensions = new Map<number, PendingFile>();
  for (const records of documentRecords(db, former.vectorSet, documents)) {
    const { dimensions } = records;
    if (dimensions === null) continue;
    const file = filesByDimensions.get(dimensions) ?? new PendingFile(dimensions, 0);
    filesByDimensions.set(dimensions, file);
    file.add(records);
  }
  for (const file of filesByDimensions.values()) writeVectorFile(db, former.scopeId, file, folder);
  return true;
}

/**
 * Compares the list of files with the folder. Drops missing and truncated files from the list, and deletes unlisted
 * files that have not been written to for an hour.
 */
export function reconcileVectorFiles(db: Statements): void {
  const folder = folderOf(db);
  if (folder === null) return;
  // The list is read first, since another process may add files: a listed file exists.
  const listed = db.all<{ id: number; name: string; bytes: number }>("SELECT id, name, bytes FROM vector_files");
  for (const { id, name, bytes } of listed)
    if (statSync(join(folder, name), { throwIfNoEntry: false })?.size !== bytes) dropFile(db, id);
  const names = new Set(listed.map(({ name }) => name));
  const cutoff = Date.now() - UNLISTED_FILE_AGE_MS;
  for (const name of filesIn(folder)) {
    if (names.has(name)) continue;
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && stats.mtimeMs < cutoff) removeIfPossible(path);
  }
}

function folderOf(db: Statements): string | null {
  const { memory, name } = db.connection;
  return memory ? null : join(dirname(name), "scan");
}

function filesIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder).filter((name) => FILE_NAME_PATTERN.test(name));
}

/**
 * Computes the records of documents that have changed since the last file, in the order of their changes.
 * `remainingBytes` is the size of the records that are too few for a file, and `null` if there may be more files.
 */
function collectFiles(
  db: Statements,
  scopeId: number,
  { fileBytes, maxFiles }: Required<FileLimits>,
): { readonly files: readonly PendingFile[]; readonly remainingBytes: number | null; readonly filedEpoch: number } {
  const [since] = db.column<number>("SELECT filed_epoch FROM scopes WHERE id = ?", scopeId);
  const vectorSet = activeVectorSet(db, scopeId);
  const files: PendingFile[] = [];
  const seen = new Set<number>();
  let current: PendingFile | null = null;
  let lastEpoch = since!;
  while (true) {
    const epochs = new Map<number, number>();
    const changes = unfiledChanges(db, scopeId, lastEpoch);
    for (const { epoch, document } of changes) {
      if (document !== null && !seen.has(document)) epochs.set(document, epoch);
      if (document !== null) seen.add(document);
      lastEpoch = epoch;
    }
    for (const records of documentRecords(db, vectorSet, [...epochs.keys()])) {
      const { document, dimensions } = records;
      if (dimensions === null) continue;
      const epoch = epochs.get(document)!;
      if (current && current.dimensions !== dimensions) files.push(current);
      if (current?.dimensions !== dimensions) current = new PendingFile(dimensions, epoch);
      current.add(records);
      if (current.bytes < fileBytes) continue;
      files.push(current);
      current = null;
      if (files.length >= maxFiles) return { files, remainingBytes: null, filedEpoch: epoch };
    }
    if (current && lastEpoch - current.firstEpoch >= MAX_UNFILED_CHANGES) {
      files.push(current);
      current = null;
    }
    if (changes.length < CHANGES_PER_QUERY) break;
  }
  return { files, remainingBytes: current?.bytes ?? 0, filedEpoch: current ? current.firstEpoch - 1 : lastEpoch };
}

/** Returns the next changes after an epoch. `document` is `null` if its published generation is in a file. */
function unfiledChanges(
  db: Statements,
  scopeId: number,
  since: number,
): readonly { readonly epoch: number; readonly document: number | null }[] {
  return db.all(
    `SELECT s.epoch, iif(EXISTS (SELECT 1 FROM documents d
         JOIN vector_file_documents f ON f.document_seq = d.seq AND f.generation = d.generation
         WHERE d.seq = s.document_seq), NULL, s.document_seq) AS document
     FROM scope_changes s WHERE s.scope_id = ? AND s.epoch > ? ORDER BY s.epoch LIMIT ${CHANGES_PER_QUERY}`,
    scopeId,
    since,
  );
}

/** Writes a file, lists it in the database, and returns its path. */
function writeVectorFile(db: Statements, scopeId: number, file: PendingFile, folder: string): string {
  const name = randomBytes(16).toString("hex");
  const path = join(folder, name);
  const { dimensions, documents } = file;
  const runs = documents.map(({ document, generation, count }): RecordRun => ({ document, generation, count }));
  const records = documents.map((document) => document.records);
  const bytes = writeRecordFile(path, { name, dimensions, runs, records });
  const { id } = db.get<{ id: number }>(
    `INSERT INTO vector_files (name, scope_id, vector_set, dimensions, records, bytes)
     SELECT ?, id, vector_set, ?, ?, ? FROM scopes WHERE id = ? RETURNING id`,
    name,
    dimensions,
    runs.reduce((sum, { count }) => sum + count, 0),
    bytes,
    scopeId,
  )!;
  for (const { document, generation, count } of runs)
    db.run("INSERT INTO vector_file_documents VALUES (?, ?, ?, ?)", document, generation, id, count);
  return path;
}

/** Removes a scope's files from the list, see {@link dropFile}. */
export function dropVectorFiles(db: Statements, scopeId: number): void {
  for (const id of db.column<number>("SELECT id FROM vector_files WHERE scope_id = ?", scopeId)) dropFile(db, id);
}

/** Removes a file from the list. Its published documents count as changed, so that the next file has them. */
function dropFile(db: Statements, file: number): void {
  const documents = publishedDocumentsOf(db, file);
  const [scopeId] = db.column<number>("DELETE FROM vector_files WHERE id = ? RETURNING scope_id", file);
  for (const documentSeq of documents) recordChange(db, { scopeId: scopeId!, documentSeq });
}

/** Returns the documents of a file whose generation in it is published. */
function publishedDocumentsOf(db: Statements, file: number): readonly number[] {
  return db.column<number>(
    `SELECT d.seq FROM vector_file_documents f JOIN documents d ON d.seq = f.document_seq AND d.generation = f.generation
     WHERE f.file = ?`,
    file,
  );
}

/** Deletes a file. A file that the system protects because it is open is left for later. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!IN_USE_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
