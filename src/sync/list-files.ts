import fs from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_UPLOAD_BYTES } from "../validation/schemas.js";
import { stampOf } from "./fingerprint.js";
import { namedPaths, type Patterns, pathBelow, pathsNamed, type ReadFolder } from "./named-paths.js";

/** Files asked for their state at a time: Node has four threads for it. */
const WIDTH = 32;
const stateOf = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);

/** A file as it stands in the folder. */
export interface FoundFile {
  /** Below the folder, with `/`, as the file system spells it. */
  readonly path: string;
  readonly absolute: string;
  readonly stamp: string | null;
}

/** Why a file, or a subfolder with everything in it, was skipped. */
export type SkipReason = "no_parser" | "too_large" | "empty" | "not_a_file" | "unreadable";

/** A file or subfolder that a sync skipped. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: SkipReason;
  readonly message: string;
}

/** What a folder holds, in the order of paths. */
export interface Look {
  readonly files: readonly FoundFile[];
  /** Of the folder; null where it became another one meanwhile. */
  readonly rootInode: string | null;
  readonly skipped: readonly SkippedFile[];
  /**
   * Whether nothing can be said of a path: it is left out with a reason, or it or a folder above it could not be looked
   * at.
   */
  isUnknown(path: string): boolean;
  /** Which of some paths the patterns name, whether they are there or not. */
  named(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface LookOptions {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** A folder that is none of its content: where the knowledge base itself lives. */
  readonly except: string;
  /** Whether a parser reads files of that name. */
  readonly handles: (path: string) => boolean;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks at every file below a folder that the patterns name. Hidden ones, `node_modules` and what links lead to are
 * left out. What can't be read is told, so that nobody takes it for gone.
 *
 * @throws KnowledgeBaseError `not_found` where the folder itself can't be read
 */
export async function lookAt(root: string, options: LookOptions): Promise<Look> {
  const { include, exclude, except, handles, onFolder, signal } = options;
  const skipped: SkippedFile[] = [];
  const patterns: Patterns = { include, exclude, own: await ownPath(root, except) };
  const unreadable = (path: string, error: NodeJS.ErrnoException) => {
    if (path === "") throw unreadableRoot(root, error);
    // Gone since its folder was read: so it is gone.
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") skipped.push(skip(path, "unreadable", error.message));
  };
  let rootError: NodeJS.ErrnoException | null = null;
  const readFolder: ReadFolder = (folder, done) => {
    onFolder?.(resolve(folder));
    fs.readdir(folder, { withFileTypes: true }, (error, entries) => {
      const path = pathBelow(root, resolve(folder));
      if (error && path === "") rootError = error;
      else if (error) unreadable(path, error);
      done(
        error,
        entries?.map((entry) => (entry.isDirectory() ? entry : asFile(entry))),
      );
    });
  };
  // Asked for by itself: patterns may begin below it, and then nothing else does.
  const inode = await inodeOf(root);
  const found = await namedPaths(root, patterns, readFolder, signal);
  if (rootError) throw unreadableRoot(root, rootError);
  const rootInode = (await inodeOf(root)) === inode ? inode : null;
  signal?.throwIfAborted();
  const states = await mapConcurrent(found, WIDTH, async (path): Promise<FoundFile | null> => {
    signal?.throwIfAborted();
    const absolute = join(root, path);
    const now = Date.now();
    try {
      const stats = await stateOf(absolute, { bigint: true });
      const reason = reasonAgainst(path, stats, handles);
      if (reason) skipped.push(reason);
      return reason ? null : { path, absolute, stamp: stampOf(stats, now) };
    } catch (error) {
      unreadable(path, error as NodeJS.ErrnoException);
      return null;
    }
  });
  const leftOut = new Set(skipped.flatMap(({ path, reason }) => (reason === "not_a_file" ? [] : [path])));
  // What else takes a folder's place says that nothing is below it.
  const unreadablePaths = new Set(skipped.flatMap(({ path, reason }) => (reason === "unreadable" ? [path] : [])));
  return {
    files: states.filter((file) => file !== null),
    rootInode,
    skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)),
    isUnknown: (path) =>
      leftOut.has(path) || (unreadablePaths.size > 0 && placesOf(path).some((place) => unreadablePaths.has(place))),
    named: (paths) => pathsNamed(root, patterns, paths),
  };
}

async function inodeOf(root: string): Promise<string> {
  try {
    return String((await fs.promises.stat(root, { bigint: true })).ino);
  } catch (error) {
    throw unreadableRoot(root, error as Error);
  }
}

/** Where a folder lies below another, whatever links lead to it; null where it doesn't. */
async function ownPath(root: string, folder: string): Promise<string | null> {
  const path = pathBelow(root, await fs.promises.realpath(folder).catch(unlessMissing(resolve(folder))));
  return path === "" || path === ".." || path.startsWith("../") || isAbsolute(path) ? null : path;
}

/** What takes the place of a path that is not there. */
function unlessMissing(instead: string) {
  return (error: NodeJS.ErrnoException): string => {
    if (error.code !== "ENOENT") throw error;
    return instead;
  };
}

/** Links and special files are found like files, so that it can be said that they are left out. */
function asFile(entry: fs.Dirent): fs.Dirent {
  return entry.isFile() ? entry : Object.assign(entry, { isFile: () => true, isSymbolicLink: () => false });
}

/** Why a file is left out by what its name and state say. */
function reasonAgainst(path: string, stats: fs.BigIntStats, handles: LookOptions["handles"]): SkippedFile | null {
  if (!stats.isFile()) return skip(path, "not_a_file", "is a link or a special file");
  if (!handles(path)) return skip(path, "no_parser", "is of a type that no parser reads");
  if (stats.size === 0n) return skip(path, "empty", "is empty");
  if (stats.size <= MAX_UPLOAD_BYTES) return null;
  return skip(path, "too_large", `is ${stats.size} bytes; the most is ${MAX_UPLOAD_BYTES}`);
}

export function skip(path: string, reason: SkipReason, message: string): SkippedFile {
  return { path, reason, message };
}

/** A path and the folders above it. */
function placesOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function unreadableRoot(root: string, cause: Error): KnowledgeBaseError {
  const message = `dir ${JSON.stringify(root)} is not a folder that can be read: ${cause.message}`;
  return new KnowledgeBaseError("not_found", message, { cause });
}
