import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RecordRun, writeRecordFile } from "../record-file.js";
import type { Statements } from "../statements.js";
import { floats, runsOf } from "./vector-runs.js";

// The blocks of a scope are scattered in the database among the pages of vectors, and loading them would read page by
// page.
// So every few megabytes of blocks are also written to a file, in the transaction that lists it. A file never changes
// and
// has a unique name, so a listed file is complete, even in a copy of the directory from another day. It may be missing,
// since the blocks are still in the database.

/** Minimum bytes of records per file. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Maximum files per transaction, for a database that has none yet. */
const MAX_FILES = 4;
/** Blocks to read in one transaction: more than these files can hold, for vectors of any dimensions. */
const MAX_BLOCKS = 512;
/** A file that is not listed belongs to a transaction in progress, or to one that was rolled back. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
/** Error codes of Windows for a file that is open elsewhere. */
const KEPT: ReadonlySet<string> = new Set(["EBUSY", "EPERM", "EACCES"]);

interface LooseBlock {
  readonly seq: number;
  readonly dimensions: number;
  readonly bytes: number;
}

interface BlockRow {
  readonly documents: Uint8Array;
  readonly generations: Uint8Array;
  readonly records: Uint8Array;
}

/** `null` for a database in memory. */
export function vectorFilePath(db: Statements, name: string): string | null {
  const folder = folderOf(db);
  return folder && join(folder, name);
}

/**
 * Writes files of a scope's blocks that have none yet, if there are enough. Returns the number of files.
 *
 * @param most Maximum files. @default 4
 */
export function writeVectorFiles(
  db: Statements,
  scopeId: number,
  { fileBytes = FILE_BYTES, most = MAX_FILES }: { readonly fileBytes?: number; readonly most?: number } = {},
): number {
  const folder = folderOf(db);
  if (folder === null) return 0;
  let loose = looseBlocks(db, scopeId);
  for (let files = 0; files < most; files++) {
    const some = enough(loose, fileBytes);
    if (!some) return files;
    if (files === 0) prepare(db, folder);
    writeVectorFile(db, scopeId, some, folder);
    loose = loose.filter((block) => !some.includes(block));
  }
  return most;
}

/**
 * Writes a file for any scope with enough blocks; returns false if there is none. New blocks get files as they are
 * written;
 * this is for databases of earlier versions.
 */
export function writeMissingVectorFile(db: Statements): boolean {
  const scopes = db.column<number>(
    `SELECT scope_id FROM vector_blocks b WHERE NOT EXISTS (SELECT 1 FROM vector_file_blocks f WHERE f.block_seq = b.seq)
     GROUP BY scope_id HAVING count(*) > 1`,
  );
  return scopes.some((scopeId) => writeVectorFiles(db, scopeId, { most: 1 }) > 0);
}

/** Removes the file of a removed block, once half of its blocks are gone. */
export function dropSparseFile(db: Statements, name: string): void {
  const worn = db.run(
    `DELETE FROM vector_files WHERE name = ?
     AND blocks >= 2 * (SELECT count(*) FROM vector_file_blocks WHERE file = vector_files.name)`,
    name,
  );
  const path = vectorFilePath(db, name);
  // If the transaction is rolled back, the file is listed but missing, which is allowed.
  if (worn > 0 && path !== null) removeIfPossible(path);
}

/**
 * Removes unlisted files that were not written to for an hour: of removed scopes, or of transactions that were rolled
 * back.
 */
export function removeStrayFiles(db: Statements): void {
  const folder = folderOf(db);
  if (folder === null || !existsSync(folder)) return;
  const listed = new Set(db.column<string>("SELECT name FROM vector_files"));
  const oldest = Date.now() - STRAY_AFTER_MS;
  for (const name of readdirSync(folder)) {
    if (listed.has(name)) continue;
    const path = join(folder, name);
    const age = statSync(path, { throwIfNoEntry: false });
    if (age && age.mtimeMs < oldest) removeIfPossible(path);
  }
}

function folderOf(db: Statements): string | null {
  const { memory, name } = db.connection;
  return memory ? null : join(dirname(name), "scan");
}

function prepare(db: Statements, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeStrayFiles(db);
  const there = new Set(readdirSync(folder));
  // Their blocks are written to new files.
  for (const name of db.column<string>("SELECT name FROM vector_files"))
    if (!there.has(name)) db.run("DELETE FROM vector_files WHERE name = ?", name);
}

/** The oldest blocks, in the order of writing. */
function looseBlocks(db: Statements, scopeId: number): readonly LooseBlock[] {
  return db.all<LooseBlock>(
    `SELECT b.seq, b.dimensions, length(b.records) AS bytes FROM (
       SELECT seq FROM vector_blocks l WHERE scope_id = ?
       AND NOT EXISTS (SELECT 1 FROM vector_file_blocks f WHERE f.block_seq = l.seq) ORDER BY seq LIMIT ?) first
     CROSS JOIN vector_blocks b ON b.seq = first.seq ORDER BY b.seq`,
    scopeId,
    MAX_BLOCKS,
  );
}

/** The oldest blocks of the same dimensions with at least this many bytes in total; `null` if there are none. */
function enough(blocks: readonly LooseBlock[], bytes: number): readonly LooseBlock[] | null {
  const byDimensions = new Map<number, { some: LooseBlock[]; bytes: number }>();
  for (const block of blocks) {
    const group = byDimensions.get(block.dimensions) ?? { some: [], bytes: 0 };
    byDimensions.set(block.dimensions, group);
    group.some.push(block);
    group.bytes += block.bytes;
    if (group.bytes >= bytes) return group.some;
  }
  return null;
}

function writeVectorFile(db: Statements, scopeId: number, blocks: readonly LooseBlock[], folder: string): void {
  const name = randomBytes(16).toString("hex");
  const { dimensions } = blocks[0]!;
  const runs: RecordRun[] = [];
  const records: Uint8Array[] = [];
  for (const { seq: block } of blocks) {
    const row = db.get<BlockRow>("SELECT documents, generations, records FROM vector_blocks WHERE seq = ?", block)!;
    const of = { documents: floats(row.documents), generations: floats(row.generations) };
    for (const { document, generation, from, to } of runsOf(of))
      runs.push({ block, document, generation, count: to - from });
    records.push(row.records);
  }
  writeRecordFile(join(folder, name), { name, dimensions, runs, records });
  db.run(
    "INSERT INTO vector_files (name, scope_id, dimensions, blocks) VALUES (?, ?, ?, ?)",
    name,
    scopeId,
    dimensions,
    blocks.length,
  );
  for (const { seq } of blocks) db.run("INSERT INTO vector_file_blocks (block_seq, file) VALUES (?, ?)", seq, name);
}

/** If the system keeps an open file from being removed, it is removed later. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!KEPT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
