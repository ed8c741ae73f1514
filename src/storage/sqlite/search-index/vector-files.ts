import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RecordRun, writeRecordFile } from "../record-file.js";
import type { Statements } from "../statements.js";
import { floats, runsOf } from "./vector-runs.js";

// The blocks of a scope lie scattered in the database, among the pages of vectors that were written with them, and a
// reader that starts would read them page by page. So each few megabytes of them are written to a file of their own as
// well, in the transaction that lists it. A file never changes, and has a name that none had before: whoever finds it
// listed finds it whole, also in a copy of the directory from another day. It may be missing, since the blocks are
// still there.

/** Bytes of a file's records, at least. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Files that are written in one transaction, at most: those of a database that had none yet. */
const MOST_FILES = 4;
/** Blocks that are looked at in one transaction: more than as many files have, of vectors of however few dimensions. */
const MOST_BLOCKS = 512;
/** A file that is not listed is of a transaction that is under way, or of one that was taken back. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
/** What Windows says of a file that is open elsewhere. */
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

/** Null for the file of a database that is in memory. */
export function vectorFilePath(db: Statements, name: string): string | null {
  const folder = folderOf(db);
  return folder && join(folder, name);
}

/**
 * Writes files of the blocks of a scope that are in none yet, where there are enough of them. Returns how many.
 *
 * @param most Files, at most. @default 4
 */
export function writeVectorFiles(
  db: Statements,
  scopeId: number,
  { fileBytes = FILE_BYTES, most = MOST_FILES }: { readonly fileBytes?: number; readonly most?: number } = {},
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
 * Writes a file of whatever scope has enough blocks for one; false if none has. Blocks are put into files as they are
 * written: this is for a database that an earlier version has made.
 */
export function writeMissingVectorFile(db: Statements): boolean {
  const scopes = db.column<number>(
    `SELECT scope_id FROM vector_blocks b WHERE NOT EXISTS (SELECT 1 FROM vector_file_blocks f WHERE f.block_seq = b.seq)
     GROUP BY scope_id HAVING count(*) > 1`,
  );
  return scopes.some((scopeId) => writeVectorFiles(db, scopeId, { most: 1 }) > 0);
}

/** Takes the file of a block that has been removed away, once half of its blocks are gone. */
export function dropWornFile(db: Statements, name: string): void {
  const worn = db.run(
    `DELETE FROM vector_files WHERE name = ?
     AND blocks >= 2 * (SELECT count(*) FROM vector_file_blocks WHERE file = vector_files.name)`,
    name,
  );
  const path = vectorFilePath(db, name);
  // Should the transaction be taken back, it is listed and missing, as any file may be.
  if (worn > 0 && path !== null) removeIfPossible(path);
}

/**
 * Removes files that are not listed and have not been written to for an hour: of scopes that are gone, of transactions
 * that were taken back.
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
  // Their blocks are written to a file again.
  for (const name of db.column<string>("SELECT name FROM vector_files"))
    if (!there.has(name)) db.run("DELETE FROM vector_files WHERE name = ?", name);
}

/** The first ones, in the order in which they were written. */
function looseBlocks(db: Statements, scopeId: number): readonly LooseBlock[] {
  return db.all<LooseBlock>(
    `SELECT b.seq, b.dimensions, length(b.records) AS bytes FROM (
       SELECT seq FROM vector_blocks l WHERE scope_id = ?
       AND NOT EXISTS (SELECT 1 FROM vector_file_blocks f WHERE f.block_seq = l.seq) ORDER BY seq LIMIT ?) first
     CROSS JOIN vector_blocks b ON b.seq = first.seq ORDER BY b.seq`,
    scopeId,
    MOST_BLOCKS,
  );
}

/** The first blocks of the same dimensions that together have so many bytes; `null` if there are none. */
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

/** Where a system keeps what another process reads, it goes another time. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!KEPT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
