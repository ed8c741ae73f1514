import { availableParallelism } from "node:os";
import { DatabaseThread } from "./database-thread.js";

/** The threads of a database that is not open yet. */
export interface DatabaseThreads {
  readonly writer: DatabaseThread;
  readonly readers: readonly DatabaseThread[];
}

/** Starts the threads of a database: to load their modules takes them about as long as it takes the caller to load the engine's. */
export function startThreads(): DatabaseThreads {
  const readers = Math.max(1, Math.floor(availableParallelism() / 4));
  return { writer: DatabaseThread.start(), readers: Array.from({ length: readers }, () => DatabaseThread.start()) };
}

/** Finishes what they were asked for, closes the connections and ends the threads. */
export async function endThreads({ writer, readers }: DatabaseThreads): Promise<void> {
  await Promise.all(readers.map((reader) => reader.close()));
  await writer.close();
}
