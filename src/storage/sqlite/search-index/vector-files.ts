import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RecordRun, writeRecordFile } from "../record-file.js";
import type { Statements } from "../statements.js";
import { type DocumentRecords, documentRecords } from "./document-records.js";
import { FILE_BYTES, MAX_UNFILED_CHANGES, recordChange } from "./scope-changes.js";

// Computing the records of a scope from its vectors takes some microseconds for each, and the vectors are scattered in
// the database. So maintenance also writes the records of published documents to files, which a starting reader loads
// at the speed of the disk. A file is written before the transaction that lists it, never changes, and has a unique
// name, so a listed file is complete, even in a copy of the directory from another day. It may be missing: its records
// can be computed again.
//
// A document's records in a file are valid while that generation is published. A file of which half the records are
// dead is dropped, and its other documents are listed as changed: the next file has them. The same happens if vectors
// of a published generation change. A dropped file is deleted later, since the transaction may be rolled back.

/** Maximum files per step of maintenance: a tenth of a second of the writer's time. */
const MAX_FILES = 4;
/** Changes that are read at once. */
const PAGE = 256;
/** A file that is not listed may belong to a transaction in progress, or be read by an older snapshot. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
const FILE_NAME = /^[\da-f]{32}$/;
/** Error codes of Windows for a file that is open elsewhere. */
const OPEN_ELSEWHERE: ReadonlySet<string> = new Set(["EBUSY", "EPERM", "EACCES"]);

interface FileLimits {
  /** @default 512 KiB */
  readonly fileBytes?: number;
  /** @default 4 */
  readonly maxFiles?: number;
}

/** A file to be written. */
class PendingFile {
  readonly dimensions: number;
  readonly documents: DocumentRecords[] = [];
  bytes = 0;
  /** The epochs of its documents' changes. */
  readonly first: number;
  last: number;

  constructor(dimensions: number, epoch: number) {
    this.dimensions = dimensions;
    this.first = epoch;
    this.last = epoch;
  }

  add(records: DocumentRecords, epoch: number): void {
    this.documents.push(records);
    this.bytes += records.records.byteLength;
    this.last = epoch;
  }
}

/** `null` for a database in memory. */
export function vectorFilePath(db: Statements, name: string): string | null {
  const folder = folderOf(db);
  return folder && join(folder, name);
}

/** Writes files for one scope that has enough records in none. Returns false if there is no such scope. */
export function maintainVectorFiles(db: Statements, { reconcile }: { readonly reconcile: boolean }): boolean {
  if (reconcile) reconcileVectorFiles(db);
  // The number is in the SQL, as in the partial index.
  const [scopeId] = db.column<number>(`SELECT id FROM scopes WHERE unfiled_bytes >= ${FILE_BYTES} LIMIT 1`);
  if (scopeId === undefined) return false;
  writeVectorFiles(db, scopeId);
  return true;
}

/** Writes files of documents of a scope that were changed since the last one. Returns the number of files. */
export function writeVectorFiles(
  db: Statements,
  scopeId: number,
  { fileBytes = FILE_BYTES, maxFiles = MAX_FILES }: FileLimits = {},
): number {
  const folder = folderOf(db);
  if (folder === null) return 0;
  const { files, rest, filedEpoch } = collectFiles(db, scopeId, { fileBytes, maxFiles });
  const written: string[] = [];
  try {
    for (const file of files) written.push(writeVectorFile(db, scopeId, file, folder));
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
  db.run("UPDATE scopes SET filed_epoch = ? WHERE id = ?", filedEpoch, scopeId);
  if (rest !== null) db.run("UPDATE scopes SET unfiled_bytes = ? WHERE id = ?", rest, scopeId);
  return files.length;
}

/**
 * Removes the records of one generation of a document, or of all if it is `null`, from their files. Does not
 * record a change of the document itself.
 */
export function removeFromFiles(db: Statements, documentSeq: number, generation: number | null): void {
  const filed = db.all<{ file: number; generation: number; records: number }>(
    `DELETE FROM vector_file_documents WHERE document_seq = ?${generation === null ? "" : " AND generation = ?"}
     RETURNING file, generation, records`,
    documentSeq,
    ...(generation === null ? [] : [generation]),
  );
  for (const { file, generation: filedGeneration, records } of filed) {
    const [isWorn] = db.column<number>(
      "UPDATE vector_files SET dead = dead + ? WHERE id = ? RETURNING dead * 2 >= records",
      records,
      file,
    );
    // Readers take every record whose generation is published.
    const isPublished = db.get(
      "SELECT 1 FROM documents WHERE seq = ? AND generation = ?",
      documentSeq,
      filedGeneration,
    );
    if (isWorn || isPublished) dropFile(db, file);
  }
}

/**
 * Compares the list with the folder. Drops missing and truncated files, and removes unlisted ones that were not written
 * to for an hour.
 */
export function reconcileVectorFiles(db: Statements): void {
  const folder = folderOf(db);
  if (folder === null) return;
  // Listed first, since another process may add files: a listed file exists.
  const listed = db.all<{ id: number; name: string; bytes: number }>("SELECT id, name, bytes FROM vector_files");
  for (const { id, name, bytes } of listed)
    if (statSync(join(folder, name), { throwIfNoEntry: false })?.size !== bytes) dropFile(db, id);
  const names = new Set(listed.map(({ name }) => name));
  const oldest = Date.now() - STRAY_AFTER_MS;
  for (const name of filesIn(folder)) {
    if (names.has(name)) continue;
    const path = join(folder, name);
    const age = statSync(path, { throwIfNoEntry: false });
    if (age && age.mtimeMs < oldest) removeIfPossible(path);
  }
}

function folderOf(db: Statements): string | null {
  const { memory, name } = db.connection;
  return memory ? null : join(dirname(name), "scan");
}

function filesIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder).filter((name) => FILE_NAME.test(name));
}

/**
 * Computes the records of documents that were changed since the last file, in the order of their changes. `rest` is the
 * bytes of those that are too few for a file, and `null` if there may be more files.
 */
function collectFiles(
  db: Statements,
  scopeId: number,
  { fileBytes, maxFiles }: Required<FileLimits>,
): { readonly files: readonly PendingFile[]; readonly rest: number | null; readonly filedEpoch: number } {
  const [since] = db.column<number>("SELECT filed_epoch FROM scopes WHERE id = ?", scopeId);
  const files: PendingFile[] = [];
  const seen = new Set<number>();
  let current: PendingFile | null = null;
  let examined = since!;
  while (true) {
    const epochs = new Map<number, number>();
    const changes = unfiledChanges(db, scopeId, examined);
    for (const { epoch, document } of changes) {
      if (document !== null && !seen.has(document)) epochs.set(document, epoch);
      if (document !== null) seen.add(document);
      examined = epoch;
    }
    for (const records of documentRecords(db, [...epochs.keys()])) {
      const { document, dimensions } = records;
      if (dimensions === null) continue;
      const epoch = epochs.get(document)!;
      if (current && current.dimensions !== dimensions) files.push(current);
      if (current?.dimensions !== dimensions) current = new PendingFile(dimensions, epoch);
      current.add(records, epoch);
      if (current.bytes < fileBytes) continue;
      files.push(current);
      current = null;
      if (files.length >= maxFiles) return { files, rest: null, filedEpoch: epoch };
    }
    if (current && examined - current.first >= MAX_UNFILED_CHANGES) {
      files.push(current);
      current = null;
    }
    if (changes.length < PAGE) break;
  }
  return { files, rest: current?.bytes ?? 0, filedEpoch: current ? current.first - 1 : examined };
}

/** The next changes after an epoch. `document` is `null` if its published generation is in a file. */
function unfiledChanges(
  db: Statements,
  scopeId: number,
  since: number,
): readonly { readonly epoch: number; readonly document: number | null }[] {
  return db.all(
    `SELECT s.epoch, iif(EXISTS (SELECT 1 FROM documents d
         JOIN vector_file_documents f ON f.document_seq = d.seq AND f.generation = d.generation
         WHERE d.seq = s.document_seq), NULL, s.document_seq) AS document
     FROM scope_changes s WHERE s.scope_id = ? AND s.epoch > ? ORDER BY s.epoch LIMIT ${PAGE}`,
    scopeId,
    since,
  );
}

/** Returns the path. */
function writeVectorFile(db: Statements, scopeId: number, file: PendingFile, folder: string): string {
  const name = randomBytes(16).toString("hex");
  const path = join(folder, name);
  const { dimensions, documents } = file;
  const runs = documents.map(({ document, generation, count }): RecordRun => ({ document, generation, count }));
  const records = documents.map((document) => document.records);
  const bytes = writeRecordFile(path, { name, dimensions, runs, records });
  const { id } = db.get<{ id: number }>(
    "INSERT INTO vector_files (name, scope_id, dimensions, records, bytes) VALUES (?, ?, ?, ?, ?) RETURNING id",
    name,
    scopeId,
    dimensions,
    runs.reduce((sum, { count }) => sum + count, 0),
    bytes,
  )!;
  for (const { document, generation, count } of runs)
    db.run("INSERT INTO vector_file_documents VALUES (?, ?, ?, ?)", document, generation, id, count);
  return path;
}

/** Removes a file from the list. Its published documents count as changed, so that the next file has them. */
function dropFile(db: Statements, file: number): void {
  const documents = db.column<number>(
    `SELECT d.seq FROM vector_file_documents f JOIN documents d ON d.seq = f.document_seq AND d.generation = f.generation
     WHERE f.file = ?`,
    file,
  );
  const [scopeId] = db.column<number>("DELETE FROM vector_files WHERE id = ? RETURNING scope_id", file);
  for (const documentSeq of documents) recordChange(db, { scopeId: scopeId!, documentSeq });
}

/** If the system keeps an open file from being removed, it is removed later. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!OPEN_ELSEWHERE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
