import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * The temporary files of fetched documents, in one folder per process in the knowledge base's directory. A file is
 * removed after parsing; the folder of a killed process is removed by another process (see `worker.ts`).
 */
export class Downloads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns a path in the process's folder at which no file exists yet. */
  async newPath(processId: string): Promise<string> {
    const folder = join(this.#directory, processId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, randomUUID());
  }

  /** Returns the ids of the processes that have a folder. */
  async processIds(): Promise<readonly string[]> {
    return readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  }

  /** Removes a process's folder with its content. */
  async removeAll(processId: string): Promise<void> {
    await rm(join(this.#directory, processId), { recursive: true, force: true });
  }
}
