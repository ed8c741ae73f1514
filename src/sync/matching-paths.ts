import fs from "node:fs";
import { join, relative, resolve } from "node:path";

/** The patterns that select the files of a sync. */
export interface Patterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The relative path of the knowledge base's directory; `null` if it isn't inside the folder. */
  readonly dataDirectory: string | null;
}

/** Reads a folder like `fs.readdir` with `withFileTypes`. */
export type FolderReader = (folder: string, callback: OnEntries) => void;
export type OnEntries = (error: NodeJS.ErrnoException | null, entries: readonly fs.Dirent[]) => void;

/** Returns a path relative to a folder, with `/`; empty for the folder itself. */
export function relativePath(root: string, absolutePath: string): string {
  return relative(root, absolutePath).replaceAll("\\", "/");
}

/**
 * Returns the sorted paths of the files in a folder that match the patterns. A wildcard matches
 * neither hidden files nor `node_modules`: a pattern must spell them out.
 */
export async function globFiles(
  root: string,
  { include, exclude, dataDirectory }: Patterns,
  readFolder: FolderReader,
  signal?: AbortSignal,
): Promise<string[]> {
  const { glob, escapePath } = await import("tinyglobby");
  const readdir = ((folder: string, _: unknown, done: OnEntries) => readFolder(folder, done)) as typeof fs.readdir;
  const found = await glob([...include], {
    cwd: root,
    ignore: [...exclude, "**/node_modules", ...(dataDirectory === null ? [] : [escapePath(dataDirectory)])],
    followSymbolicLinks: false,
    fs: { ...fs, readdir },
    ...(signal && { signal }),
  });
  return found.sort();
}

/**
 * Returns which of the paths match the patterns, whether the files exist or not. Runs the same matcher on a virtual
 * folder that contains the paths.
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
  const readFolder: FolderReader = (folder, callback) => {
    process.nextTick(callback, null, [...(folders.get(resolve(folder))?.values() ?? [])]);
  };
  return new Set(await globFiles(root, patterns, readFolder));
}

function createEntry(name: string, isFolder: boolean): fs.Dirent {
  return Object.assign(new fs.Dirent(), {
    name,
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false,
  });
}
