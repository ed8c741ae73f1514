import { availableParallelism } from "node:os";
import type { Handlers } from "./handlers.js";
import type { DownloadProgress } from "./hub-fetch.js";
import { WorkerPool } from "./worker-pool.js";

/** Operations of every model thread besides its own: opening its model and downloading missing files. */
export interface ModelThreadOperations<Description> {
  load(options: { readonly download: boolean }): Promise<Description>;
}

export interface ModelPoolOptions {
  /** Module that each thread runs; it calls `serve`. */
  readonly entry: URL;
  /** For error messages and process listings. */
  readonly name: string;
  /** Most threads, each with its own copy of the model. @default one for each core */
  readonly threads?: number | undefined;
  /** Cloned into each thread as its `workerData`. */
  readonly workerData: unknown;
  readonly signal?: AbortSignal | undefined;
  onProgress?(progress: DownloadProgress): void;
}

/**
 * A pool whose first thread has its model open, and what that thread says of the model. Leaves no thread behind when it
 * fails.
 */
export async function startModelPool<
  Description,
  Operations extends ModelThreadOperations<Description> & Handlers<Operations>,
>(options: ModelPoolOptions): Promise<{ readonly pool: WorkerPool<Operations>; readonly model: Description }> {
  const { entry, name, workerData, threads = availableParallelism() } = options;
  const onEvent = (event: unknown) => options.onProgress?.(event as DownloadProgress);
  const pool = new WorkerPool<Operations>({ entry, name, size: threads, workerData, onEvent });
  try {
    const load = pool as unknown as WorkerPool<ModelThreadOperations<Description>>;
    return { pool, model: await load.run("load", { download: true }, { signal: options.signal }) };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
