import { availableParallelism } from "node:os";
import { DatabaseThread } from "./database-thread.js";

/** Threads that help to scan, at most: beyond a few of them the memory's own speed is the limit. */
export const SCAN_HELPERS = Math.min(3, Math.floor(availableParallelism() / 2));

/** The threads of a database that is open. */
export interface DatabaseThreads {
  readonly writer: DatabaseThread;
  readonly readers: readonly DatabaseThread[];
  /** The reader that has the scan indexes: they are memory that a second one would take again. */
  readonly scanner: DatabaseThread;
}

/** Opens a database's file, which is made where there is none, and brings it to the newest version. */
export async function openThreads(path: string, { temporary = false } = {}): Promise<DatabaseThreads> {
  const count = Math.max(1, Math.floor(availableParallelism() / 4));
  // All begin to load their modules, which takes longer than to open a connection.
  const scanner = DatabaseThread.start();
  const readers = [...Array.from({ length: count - 1 }, () => DatabaseThread.start()), scanner];
  const threads = { writer: DatabaseThread.start(), readers, scanner };
  try {
    // The writer first: it makes the file and the schema that a reader expects.
    await threads.writer.open({ path, role: "writer", temporary });
    await Promise.all(
      readers.map((reader) =>
        reader.open({ path, role: "reader", scanHelpers: reader === scanner ? SCAN_HELPERS : 0 }),
      ),
    );
    return threads;
  } catch (error) {
    await closeThreads(threads);
    throw error;
  }
}

/** Finishes what they were asked for, closes the connections and ends the threads. */
export async function closeThreads({ writer, readers }: DatabaseThreads): Promise<void> {
  await Promise.all(readers.map((reader) => reader.close()));
  await writer.close();
}
