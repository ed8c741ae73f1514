import { createRecords } from "../facade.js";
import { readOnlyError } from "../read-only-error.js";
import type { StorageSnapshot } from "../snapshot.js";
import { DatabaseThread } from "./database-thread.js";

/** Opens a snapshot of a database file in a thread of its own. */
export async function openSqliteSnapshot(file: string): Promise<StorageSnapshot> {
  const thread = new DatabaseThread();
  try {
    await thread.open({ path: file, role: "snapshot" });
  } catch (error) {
    await thread.close();
    throw error;
  }
  return {
    ...createRecords((mode, name, argument, options) => {
      if (mode === "write") return Promise.reject(readOnlyError(name));
      return thread.request({ kind: "procedure", name, argument }, options);
    }),
    bundleDocuments: (argument, options) =>
      thread.request({ kind: "procedure", name: "index.bundleDocuments", argument }, options),
    bundleChunks: (argument, options) =>
      thread.request({ kind: "procedure", name: "index.bundleChunks", argument }, options),
    copyTo: (target, { bytesPerSecond, now, ...options }) =>
      thread.request({ kind: "copy", target, bytesPerSecond, now }, options),
    close: () => thread.close(),
  };
}
