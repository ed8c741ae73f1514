import fs from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_UPLOAD_BYTES } from "../validation/upload-schema.js";
import { fingerprintOf } from "./fingerprint.js";
import { type FolderReader, filterMatchingPaths, globFiles, type Patterns, relativePath } from "./matching-paths.js";

/** The number of concurrent `lstat` calls, for which Node has four threads. */
const CONCURRENCY = 32;
const lstat = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);

/** A file in the synced folder. */
export interface ListedFile {
  /** The path relative to the folder, with `/`, as the file system spells it. */
  readonly path: string;
  readonly absolutePath: string;
  /** See {@link fingerprintOf}. */
  readonly fingerprint: string | null;
}

/** Why a file, or a subfolder with all its content, was skipped. */
export type SkipReason = "no_parser" | "too_large" | "empty" | "not_a_file" | "unreadable";

/** A file or subfolder that a sync skipped. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: SkipReason;
  readonly message: string;
}

/** The files of a folder, sorted by path. */
export interface FolderListing {
  readonly files: readonly ListedFile[];
  /** The inode of the folder; `null` if the folder was replaced during the scan. */
  readonly rootInode: string | null;
  readonly skipped: readonly SkippedFile[];
  /**
   * Whether a file may exist at the path although it isn't listed: the file was skipped, other than for being a link or
   * special file, or a parent folder can't be read.
   */
  mayExist(path: string): boolean;
  /** Returns which of the paths match the patterns, whether the files exist or not. */
  filterMatching(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ListFilesOptions {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The directory of the knowledge base, which is excluded. */
  readonly dataDirectory: string;
  /** Returns whether a parser supports files with the name of the path. */
  readonly hasParser: (path: string) => boolean;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lists the files in a folder that match the patterns. Ignores hidden files and `node_modules`, and doesn't follow
 * links. Reports what can't be read, so that it isn't considered deleted.
 *
 * @throws KnowledgeBaseError `not_found` if the folder itself can't be read
 */
export async function listFiles(root: string, options: ListFilesOptions): Promise<FolderListing> {
  const { include, exclude, dataDirectory, hasParser, onFolder, signal } = options;
  const skipped: SkippedFile[] = [];
  const patterns: Patterns = { include, exclude, dataDirectory: await relativePathWithin(root, dataDirectory) };
  const reportUnreadable = (path: string, error: NodeJS.ErrnoException) => {
    if (path === "") throw unreadableRootError(root, error);
    // `ENOENT` and `ENOTDIR` mean that the file was deleted since its folder was read.
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
      skipped.push(toSkippedFile(path, "unreadable", error.message));
  };
  let rootError: NodeJS.ErrnoException | null = null;
  const readFolder: FolderReader = (folder, callback) => {
    onFolder?.(resolve(folder));
    fs.readdir(folder, { withFileTypes: true }, (error, entries) => {
      const path = relativePath(root, resolve(folder));
      if (error && path === "") rootError = error;
      else if (error) reportUnreadable(path, error);
      callback(
        error,
        entries?.map((entry) => (entry.isDirectory() ? entry : asFile(entry))),
      );
    });
  };
  // The folder itself is checked explicitly, because patterns may start in a subfolder.
  const inode = await inodeOf(root);
  const paths = await globFiles(root, patterns, readFolder, signal);
  if (rootError) throw unreadableRootError(root, rootError);
  const rootInode = (await inodeOf(root)) === inode ? inode : null;
  signal?.throwIfAborted();
  const files = await mapConcurrent(paths, CONCURRENCY, async (path): Promise<ListedFile | null> => {
    signal?.throwIfAborted();
    const absolutePath = join(root, path);
    const now = Date.now();
    try {
      const stats = await lstat(absolutePath, { bigint: true });
      const skippedFile = checkFile(path, stats, hasParser);
      if (skippedFile) skipped.push(skippedFile);
      return skippedFile ? null : { path, absolutePath, fingerprint: fingerprintOf(stats, now) };
    } catch (error) {
      reportUnreadable(path, error as NodeJS.ErrnoException);
      return null;
    }
  });
  // Whatever file or folder a link or special file has replaced no longer exists, so `not_a_file` doesn't count.
  const skippedFilePaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "not_a_file" ? [] : [path])));
  const unreadablePaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "unreadable" ? [path] : [])));
  return {
    files: files.filter((file) => file !== null),
    rootInode,
    skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)),
    mayExist: (path) =>
      skippedFilePaths.has(path) ||
      (unreadablePaths.size > 0 && withAncestors(path).some((ancestor) => unreadablePaths.has(ancestor))),
    filterMatching: (paths) => filterMatchingPaths(root, patterns, paths),
  };
}

async function inodeOf(root: string): Promise<string> {
  try {
    return String((await fs.promises.stat(root, { bigint: true })).ino);
  } catch (error) {
    throw unreadableRootError(root, error as Error);
  }
}

/** Returns the path of a folder relative to the root, with links resolved; `null` if it isn't inside the root. */
async function relativePathWithin(root: string, folder: string): Promise<string | null> {
  const path = relativePath(root, await fs.promises.realpath(folder).catch(fallbackIfMissing(resolve(folder))));
  return path === "" || path === ".." || path.startsWith("../") || isAbsolute(path) ? null : path;
}

/** Returns an error handler that replaces a path that doesn't exist, and rethrows any other error. */
function fallbackIfMissing(fallback: string) {
  return (error: NodeJS.ErrnoException): string => {
    if (error.code !== "ENOENT") throw error;
    return fallback;
  };
}

/** Presents links and special files as files, so that they are listed and reported as skipped. */
function asFile(entry: fs.Dirent): fs.Dirent {
  return entry.isFile() ? entry : Object.assign(entry, { isFile: () => true, isSymbolicLink: () => false });
}

/** Returns why a file is skipped, judging by its name and attributes; `null` if it isn't skipped. */
function checkFile(path: string, stats: fs.BigIntStats, hasParser: ListFilesOptions["hasParser"]): SkippedFile | null {
  if (!stats.isFile()) return toSkippedFile(path, "not_a_file", "is a link or a special file");
  if (!hasParser(path)) return toSkippedFile(path, "no_parser", "is of a type that no parser supports");
  if (stats.size === 0n) return toSkippedFile(path, "empty", "is empty");
  if (stats.size <= MAX_UPLOAD_BYTES) return null;
  return toSkippedFile(path, "too_large", `is ${stats.size} bytes; the limit is ${MAX_UPLOAD_BYTES} bytes`);
}

export function toSkippedFile(path: string, reason: SkipReason, message: string): SkippedFile {
  return { path, reason, message };
}

/** Returns a path and the paths of its parent folders. */
function withAncestors(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function unreadableRootError(root: string, cause: Error): KnowledgeBaseError {
  const message = `dir ${JSON.stringify(root)} can't be read as a folder: ${cause.message}`;
  return new KnowledgeBaseError("not_found", message, { cause });
}
