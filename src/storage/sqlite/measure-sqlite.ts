import { stat } from "node:fs/promises";
import type { StorageMeasures } from "../storage.js";
import type { DatabaseThreads } from "./open-threads.js";

/** Measures the files of a database and the memory of its vector indexes. */
export async function measureSqlite({ path, scanner }: DatabaseThreads): Promise<StorageMeasures> {
  const [databaseBytes, walBytes, scanMemoryBytes] = await Promise.all([
    sizeOf(path),
    sizeOf(`${path}-wal`),
    scanner.request<number>({ kind: "scanMemory" }),
  ]);
  return { databaseBytes, walBytes, scanMemoryBytes };
}

/** Returns the size of a file; 0 if there is none: a log is deleted with the last connection. */
async function sizeOf(path: string): Promise<number> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return { size: 0 };
    throw error;
  });
  return stats.size;
}
