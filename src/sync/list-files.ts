import fs from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_UPLOAD_BYTES } from "../validation/upload-schema.js";
import { fingerprintOf } from "./fingerprint.js";
import { type FolderReader, filterMatchingPaths, globFiles, type Patterns, relativePath } from "./matching-paths.js";

/** Concurrent `lstat` calls. Node has four threads for them. */
const CONCURRENCY = 32;
const lstat = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);

/** A file of the folder. */
export interface ListedFile {
  /** Relative to the folder, with `/`, as the file system spells it. */
  readonly path: string;
  readonly absolute: string;
  readonly fingerprint: string | null;
}

/** Why a file, or a subfolder with everything in it, was skipped. */
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
   * Whether a file at the path can't be ruled out: it was skipped although it is a file, or it or a parent folder can't
   * be read.
   */
  isUnknown(path: string): boolean;
  /** Which of the paths match the patterns, whether the files exist or not. */
  filterMatching(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ListFilesOptions {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The directory of the knowledge base, which is excluded. */
  readonly dataDirectory: string;
  /** Whether a parser supports files of that name. */
  readonly hasParser: (path: string) => boolean;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lists the files in a folder that match the patterns. Skips hidden ones, `node_modules` and targets of links. Reports
 * what can't be read, so that it isn't considered deleted.
 *
 * @throws KnowledgeBaseError `not_found` if the folder itself can't be read
 */
export async function listFiles(root: string, options: ListFilesOptions): Promise<FolderListing> {
  const { include, exclude, dataDirectory, hasParser, onFolder, signal } = options;
  const skipped: SkippedFile[] = [];
  const patterns: Patterns = { include, exclude, dataDirectory: await relativePathWithin(root, dataDirectory) };
  const reportUnreadable = (path: string, error: NodeJS.ErrnoException) => {
    if (path === "") throw unreadableRootError(root, error);
    // Deleted since its folder was read.
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") skipped.push(skip(path, "unreadable", error.message));
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
  // Checked explicitly, because patterns may start in a subfolder.
  const inode = await inodeOf(root);
  const paths = await globFiles(root, patterns, readFolder, signal);
  if (rootError) throw unreadableRootError(root, rootError);
  const rootInode = (await inodeOf(root)) === inode ? inode : null;
  signal?.throwIfAborted();
  const files = await mapConcurrent(paths, CONCURRENCY, async (path): Promise<ListedFile | null> => {
    signal?.throwIfAborted();
    const absolute = join(root, path);
    const now = Date.now();
    try {
      const stats = await lstat(absolute, { bigint: true });
      const skippedFile = checkFile(path, stats, hasParser);
      if (skippedFile) skipped.push(skippedFile);
      return skippedFile ? null : { path, absolute, fingerprint: fingerprintOf(stats, now) };
    } catch (error) {
      reportUnreadable(path, error as NodeJS.ErrnoException);
      return null;
    }
  });
  const unknownPaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "not_a_file" ? [] : [path])));
  // A link or special file in place of a folder is known: it contains nothing.
  const unreadablePaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "unreadable" ? [path] : [])));
  return {
    files: files.filter((file) => file !== null),
    rootInode,
    skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)),
    isUnknown: (path) =>
      unknownPaths.has(path) ||
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

/** The path of a folder relative to another one, with links resolved; `null` if it isn't inside it. */
async function relativePathWithin(root: string, folder: string): Promise<string | null> {
  const path = relativePath(root, await fs.promises.realpath(folder).catch(fallbackIfMissing(resolve(folder))));
  return path === "" || path === ".." || path.startsWith("../") || isAbsolute(path) ? null : path;
}

/** Replaces a path that does not exist. */
function fallbackIfMissing(fallback: string) {
  return (error: NodeJS.ErrnoException): string => {
    if (error.code !== "ENOENT") throw error;
    return fallback;
  };
}

/** Lists links and special files like files, so that they are reported as skipped. */
function asFile(entry: fs.Dirent): fs.Dirent {
  return entry.isFile() ? entry : Object.assign(entry, { isFile: () => true, isSymbolicLink: () => false });
}

/** Why a file is skipped, judging by its name and attributes; `null` if it isn't. */
function checkFile(path: string, stats: fs.BigIntStats, hasParser: ListFilesOptions["hasParser"]): SkippedFile | null {
  if (!stats.isFile()) return skip(path, "not_a_file", "is a link or a special file");
  if (!hasParser(path)) return skip(path, "no_parser", "is of a type that no parser supports");
  if (stats.size === 0n) return skip(path, "empty", "is empty");
  if (stats.size <= MAX_UPLOAD_BYTES) return null;
  return skip(path, "too_large", `is ${stats.size} bytes; the limit is ${MAX_UPLOAD_BYTES} bytes`);
}

export function skip(path: string, reason: SkipReason, message: string): SkippedFile {
  return { path, reason, message };
}

/** A path and its parent folders. */
function withAncestors(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function unreadableRootError(root: string, cause: Error): KnowledgeBaseError {
  const message = `dir ${JSON.stringify(root)} can't be read as a folder: ${cause.message}`;
  return new KnowledgeBaseError("not_found", message, { cause });
}
