import { fileBytes } from "../../util/folder-bytes.js";
import type { StorageMeasures } from "../storage.js";
import type { DatabaseThreads } from "./open-threads.js";

/** Measures the files of a database and the memory of its vector indexes. */
export async function measureSqlite({ path, scanner }: DatabaseThreads): Promise<StorageMeasures> {
  const [databaseBytes, walBytes, scanMemoryBytes] = await Promise.all([
    fileBytes(path),
    // A log is deleted with the last connection.
    fileBytes(`${path}-wal`),
    scanner.request<number>({ kind: "scanMemory" }),
  ]);
  return { databaseBytes, walBytes, scanMemoryBytes };
}
