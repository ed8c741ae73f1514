import fs from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_UPLOAD_BYTES } from "../validation/upload-schema.js";
import { fingerprintOf } from "./fingerprint.js";
import { filterMatchingPaths, matchingPaths, type Patterns, pathBelow, type ReadFolder } from "./matching-paths.js";

/** Concurrent `lstat` calls. Node has four threads for them. */
const CONCURRENCY = 32;
const lstat = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);

/** A file of the folder. */
export interface FoundFile {
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
  readonly files: readonly FoundFile[];
  /** The inode of the folder; `null` if the folder was replaced during the scan. */
  readonly rootInode: string | null;
  readonly skipped: readonly SkippedFile[];
  /**
   * Whether nothing can be said of a path: it is left out with a reason, or it or a folder above it could not be looked
   * at.
   */
  isUnknown(path: string): boolean;
  /** Which of the paths match the patterns, whether the files exist or not. */
  filterMatching(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ListFilesOptions {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The knowledge base's own directory, which is excluded. */
  readonly ownDirectory: string;
  /** Whether a parser supports files of that name. */
  readonly handles: (path: string) => boolean;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lists the files in a folder that match the patterns. Skips hidden ones, `node_modules` and targets of links. Reports
 * what can't be read, so that it isn't taken for deleted.
 *
 * @throws KnowledgeBaseError `not_found` if the folder itself can't be read
 */
export async function listFiles(root: string, options: ListFilesOptions): Promise<FolderListing> {
  const { include, exclude, ownDirectory, handles, onFolder, signal } = options;
  const skipped: SkippedFile[] = [];
  const patterns: Patterns = { include, exclude, ownDirectory: await relativePathWithin(root, ownDirectory) };
  const reportUnreadable = (path: string, error: NodeJS.ErrnoException) => {
    if (path === "") throw unreadableRoot(root, error);
    // Deleted since its folder was read.
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") skipped.push(skip(path, "unreadable", error.message));
  };
  let rootError: NodeJS.ErrnoException | null = null;
  const readFolder: ReadFolder = (folder, done) => {
    onFolder?.(resolve(folder));
    fs.readdir(folder, { withFileTypes: true }, (error, entries) => {
      const path = pathBelow(root, resolve(folder));
      if (error && path === "") rootError = error;
      else if (error) reportUnreadable(path, error);
      done(
        error,
        entries?.map((entry) => (entry.isDirectory() ? entry : asFile(entry))),
      );
    });
  };
  // Read explicitly, because patterns may start below the root.
  const inode = await inodeOf(root);
  const found = await matchingPaths(root, patterns, readFolder, signal);
  if (rootError) throw unreadableRoot(root, rootError);
  const rootInode = (await inodeOf(root)) === inode ? inode : null;
  signal?.throwIfAborted();
  const files = await mapConcurrent(found, CONCURRENCY, async (path): Promise<FoundFile | null> => {
    signal?.throwIfAborted();
    const absolute = join(root, path);
    const now = Date.now();
    try {
      const stats = await lstat(absolute, { bigint: true });
      const skippedFile = checkFile(path, stats, handles);
      if (skippedFile) skipped.push(skippedFile);
      return skippedFile ? null : { path, absolute, fingerprint: fingerprintOf(stats, now) };
    } catch (error) {
      reportUnreadable(path, error as NodeJS.ErrnoException);
      return null;
    }
  });
  const unknownPaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "not_a_file" ? [] : [path])));
  // A link or special file in place of a folder is known: nothing is below it.
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
    throw unreadableRoot(root, error as Error);
  }
}

/** The path of a folder relative to another one, with links resolved; `null` if it isn't below it. */
async function relativePathWithin(root: string, folder: string): Promise<string | null> {
  const path = pathBelow(root, await fs.promises.realpath(folder).catch(fallbackIfMissing(resolve(folder))));
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

/** Why a file must be skipped, judging by its name and attributes; `null` if it must not. */
function checkFile(path: string, stats: fs.BigIntStats, handles: ListFilesOptions["handles"]): SkippedFile | null {
  if (!stats.isFile()) return skip(path, "not_a_file", "is a link or a special file");
  if (!handles(path)) return skip(path, "no_parser", "is of a type that no parser supports");
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

function unreadableRoot(root: string, cause: Error): KnowledgeBaseError {
  const message = `dir ${JSON.stringify(root)} can't be read as a folder: ${cause.message}`;
  return new KnowledgeBaseError("not_found", message, { cause });
}
