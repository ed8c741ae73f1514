import { existsSync } from "node:fs";
import { chmod, constants, copyFile, mkdtemp, open, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { KnowledgeBaseError } from "../../errors.js";

/** The offset of the format's version for readers, which is 2 for a database in WAL mode (sqlite.org/fileformat2.html). */
const READ_VERSION_OFFSET = 19;
const WAL_VERSION = 2;

/** A database file that can be read without writing to its directory. */
export interface OpenableDatabase {
  readonly file: string;
  /** Removes the file if it is a temporary copy. */
  remove(): Promise<void>;
}

/**
 * Finds a file with the database of a directory that can be opened for reading without writing to the directory.
 *
 * SQLite opens a database in WAL mode only if the files `-wal` and `-shm` exist or can be created. They exist while
 * another process has the database open, and after a process was killed: then the database itself is opened. Otherwise
 * a temporary copy of a database in WAL mode is. SQLite's parameter `immutable=1` would save the copy, but better-sqlite3
 * is built without such parameters, and changes in a `-wal` file would be ignored.
 *
 * @throws KnowledgeBaseError `not_found` if there is no database
 */
export async function openableDatabase(directory: string): Promise<OpenableDatabase> {
  const file = join(directory, "lorebase.db");
  if (!(await stat(file).catch(() => null))?.isFile()) {
    const message = `There is no knowledge base in ${directory}, and readOnly creates none: lorebase.db is missing.`;
    throw new KnowledgeBaseError("not_found", message);
  }
  if (existsSync(`${file}-shm`) || !(await isInWalMode(file))) return { file, remove: async () => {} };
  return copyDatabase(directory, file);
}

/**
 * Reads the mode from the file's header. Closing a file also releases the locks that this process has on it, so this
 * must not be called while another connection of the process may write: then there is a `-shm` file.
 */
async function isInWalMode(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, READ_VERSION_OFFSET);
    return bytesRead === 1 && buffer[0] === WAL_VERSION;
  } finally {
    await handle.close();
  }
}

/** Copies a database into a temporary directory, with its log and a link to its vector files. */
async function copyDatabase(directory: string, file: string): Promise<OpenableDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "lorebase-read-only-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const copy = join(folder, "lorebase.db");
  try {
    // File systems that can share blocks between files copy without reading.
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    // SQLite gives its own files the mode of the database, and must be able to write to them.
    for (const path of [copy, `${copy}-wal`]) if (existsSync(path)) await chmod(path, 0o600);
    await symlink(resolve(directory, "scan"), join(folder, "scan"), "junction");
  } catch (cause) {
    await remove();
    const message =
      `The database ${file} could not be copied to ${folder}, which readOnly needs to open it. ` +
      "Free some space there, or set TMPDIR to another directory.";
    throw new KnowledgeBaseError("store_failed", message, { cause });
  }
  return { file: copy, remove };
}
