import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrent } from "./map-concurrent.js";

const CONCURRENCY = 16;

/** Returns the total size of the files in a folder and its subfolders; 0 without the folder. */
export async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(ifMissing([]));
  const sizes = await mapConcurrent(names, CONCURRENCY, (name) => fileBytes(join(folder, name)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the size of a file; 0 if it is missing or a folder. */
export async function fileBytes(path: string): Promise<number> {
  const stats = await stat(path).catch(ifMissing(null));
  return stats?.isFile() ? stats.size : 0;
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
