import fs from "node:fs";
import { join, relative, resolve } from "node:path";

/** What a sync looks at. */
export interface Patterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Path below the folder of one that is none of its content; null where there is none. */
  readonly own: string | null;
}

/** As `fs.readdir` with `withFileTypes`. */
export type ReadFolder = (folder: string, done: Entries) => void;
export type Entries = (error: NodeJS.ErrnoException | null, entries: readonly fs.Dirent[]) => void;

/** A path below a folder, with `/`; empty for the folder itself. */
export function pathBelow(root: string, absolute: string): string {
  return relative(root, absolute).replaceAll("\\", "/");
}

/** The files below a folder that patterns name, sorted; hidden ones and `node_modules` only where a pattern begins with them. */
export async function namedPaths(
  root: string,
  { include, exclude, own }: Patterns,
  readFolder: ReadFolder,
  signal?: AbortSignal,
): Promise<string[]> {
  const { glob, escapePath } = await import("tinyglobby");
  const readdir = ((folder: string, _: unknown, done: Entries) => readFolder(folder, done)) as typeof fs.readdir;
  const found = await glob([...include], {
    cwd: root,
    ignore: [...exclude, "**/node_modules", ...(own === null ? [] : [escapePath(own)])],
    followSymbolicLinks: false,
    fs: { ...fs, readdir },
    ...(signal && { signal }),
  });
  return found.sort();
}

/** Which of some paths patterns name, whether they are there or not: judged by the same rules, in a folder that has just these. */
export async function pathsNamed(
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
      folders.set(folder, entries.set(name, entryOf(name, index < names.length - 1)));
      folder = join(folder, name);
    }
  }
  const readFolder: ReadFolder = (folder, done) => {
    process.nextTick(done, null, [...(folders.get(resolve(folder))?.values() ?? [])]);
  };
  return new Set(await namedPaths(root, patterns, readFolder));
}

function entryOf(name: string, isFolder: boolean): fs.Dirent {
  return Object.assign(new fs.Dirent(), {
    name,
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false,
  });
}
