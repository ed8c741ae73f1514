import { availableParallelism } from "node:os";
import type { DatabaseAccess } from "../database-access.js";
import { DatabaseThread } from "./database-thread.js";

/** The number of helper threads of a scan. More would not help, since memory bandwidth is the limit. */
export const SCAN_HELPER_COUNT = Math.min(3, Math.floor(availableParallelism() / 2));

/** The threads of an open database. */
export interface DatabaseThreads {
  /** The path of the database's file. */
  readonly path: string;
  /** `null` if the database is open for reading only. */
  readonly writer: DatabaseThread | null;
  readonly readers: readonly DatabaseThread[];
  /** The only reader with vector indexes: a second one would need as much memory again. */
  readonly scanner: DatabaseThread;
}

/**
 * Opens a database file, which is created if it is missing, and migrates the database. As the source of a transfer and
 * with `readOnly`, the file must exist with the schema of this code, and there is no writer.
 */
export async function openThreads(
  path: string,
  { isTemporary = false, access = "use" }: { readonly isTemporary?: boolean; readonly access?: DatabaseAccess } = {},
): Promise<DatabaseThreads> {
  const readerCount = Math.max(1, Math.floor(availableParallelism() / 4));
  // Loading the threads' modules takes longer than opening a connection, so all threads start at once.
  const scanner = new DatabaseThread();
  const readers = [...Array.from({ length: readerCount - 1 }, () => new DatabaseThread()), scanner];
  const writer = access === "source" || access === "readOnly" ? null : new DatabaseThread();
  const threads = { path, writer, readers, scanner };
  try {
    // The writer is opened first, since it creates the file and the schema that readers expect.
    await writer?.open({ path, role: "writer", isTemporary, access });
    await Promise.all(
      readers.map((reader) =>
        reader.open({ path, role: "reader", access, scanHelpers: reader === scanner ? SCAN_HELPER_COUNT : 0 }),
      ),
    );
    return threads;
  } catch (error) {
    await closeThreads(threads);
    throw error;
  }
}

/** Completes pending requests, closes the connections and ends the threads. */
export async function closeThreads({ writer, readers }: DatabaseThreads): Promise<void> {
  await Promise.all(readers.map((reader) => reader.close()));
  await writer?.close();
}
