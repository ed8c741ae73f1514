import fs from "node:fs";
import { join, relative, resolve } from "node:path";

/** Which files a sync covers. */
export interface Patterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Path below the folder of the knowledge base's own directory; `null` if it is elsewhere. */
  readonly ownDirectory: string | null;
}

/** Like `fs.readdir` with `withFileTypes`. */
export type ReadFolder = (folder: string, done: Entries) => void;
export type Entries = (error: NodeJS.ErrnoException | null, entries: readonly fs.Dirent[]) => void;

/** A path below a folder, with `/`; empty for the folder itself. */
export function pathBelow(root: string, absolute: string): string {
  return relative(root, absolute).replaceAll("\\", "/");
}

/**
 * The files below a folder that match the patterns, sorted. Hidden files and `node_modules` only match a pattern that
 * starts with them.
 */
export async function matchingPaths(
  root: string,
  { include, exclude, ownDirectory }: Patterns,
  readFolder: ReadFolder,
  signal?: AbortSignal,
): Promise<string[]> {
  const { glob, escapePath } = await import("tinyglobby");
  const readdir = ((folder: string, _: unknown, done: Entries) => readFolder(folder, done)) as typeof fs.readdir;
  const found = await glob([...include], {
    cwd: root,
    ignore: [...exclude, "**/node_modules", ...(ownDirectory === null ? [] : [escapePath(ownDirectory)])],
    followSymbolicLinks: false,
    fs: { ...fs, readdir },
    ...(signal && { signal }),
  });
  return found.sort();
}

/**
 * Which of the paths match the patterns, whether the files exist or not. Runs the same matcher on a virtual folder of
 * these paths.
 */
export async function filterMatchingPaths(
  root: string,
  patterns: Patterns,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const folders = new Map<string, Map<string, fs.Dirent>>();
  for (const path of paths) {
    let folder = resolve(root);
    const names = path.split("/");
    for (const [index, name] of names.entries()) {
      const entries = folders.get(folder) ?? new Map<string, fs.Dirent>();
      folders.set(folder, entries.set(name, createEntry(name, index < names.length - 1)));
      folder = join(folder, name);
    }
  }
  const readFolder: ReadFolder = (folder, done) => {
    process.nextTick(done, null, [...(folders.get(resolve(folder))?.values() ?? [])]);
  };
  return new Set(await matchingPaths(root, patterns, readFolder));
}

function createEntry(name: string, isFolder: boolean): fs.Dirent {
  return Object.assign(new fs.Dirent(), {
    name,
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false,
  });
}
