import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { KnowledgeBaseError } from "../errors.js";

/**
 * Returns the absolute paths of the files at `paths`, without duplicates and sorted within each path. A folder stands
 * for every file in its tree, except hidden files and `node_modules`. A path that doesn't exist may be a glob.
 * @throws KnowledgeBaseError `not_found` if a path matches nothing
 */
export async function findFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) for (const file of await expandPath(path)) found.add(resolve(file));
  return [...found];
}

async function expandPath(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile()) return [path];
  const files = stats?.isDirectory() ? await listFiles(path) : isDynamicPattern(path) ? await glob(path) : [];
  if (files.length > 0) return [...files].sort();
  const missing = isDynamicPattern(path) ? "no file matches this pattern" : "no such file or folder";
  const reason = stats === null ? missing : "the folder has no files";
  throw new KnowledgeBaseError("not_found", `${path}: ${reason}`);
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await listFiles(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}
