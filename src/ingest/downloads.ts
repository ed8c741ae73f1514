import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Files that are being fetched, each process's in a folder of its own under the knowledge base's directory. None outlives the document's
 * run; a killed process's folder is removed by another (see `sweep-downloads.ts`).
 */
export class Downloads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A path at which there is nothing yet. */
  async newPath(processId: string): Promise<string> {
    const folder = join(this.#directory, processId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, randomUUID());
  }

  /** The processes that have a folder. */
  async processes(): Promise<readonly string[]> {
    return readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  }

  /** Removes a process's folder, whatever is in it. */
  async removeAll(processId: string): Promise<void> {
    await rm(join(this.#directory, processId), { recursive: true, force: true });
  }
}
