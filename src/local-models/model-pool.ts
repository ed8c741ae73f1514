import { availableParallelism } from "node:os";
import type { ThreadOptions } from "../rpc/open-thread.js";
import type { Operations } from "../rpc/rpc-peer.js";
import { ThreadPool } from "../rpc/thread-pool.js";
import type { DownloadProgress } from "./hub-fetch.js";

/** Operations of every model thread besides its own: opening its model and downloading missing files. */
export interface ModelThreadOperations<Description> {
  load(options: { readonly download: boolean }): Promise<Description>;
}

/** What a model thread may call. */
export interface ModelPoolHandlers {
  progress(progress: DownloadProgress): void;
}

export interface ModelPoolOptions extends ThreadOptions {
  /** Maximum threads, each with its own copy of the model. @default one for each core */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(progress: DownloadProgress): void;
}

/** A pool whose first thread has opened its model, and the model's description. If it fails, no thread is left. */
export async function startModelPool<
  Description,
  Remote extends ModelThreadOperations<Description> & Operations<Remote>,
>({
  threads = availableParallelism(),
  signal,
  onProgress,
  ...options
}: ModelPoolOptions): Promise<{ readonly pool: ThreadPool<Remote>; readonly model: Description }> {
  const handlers: ModelPoolHandlers = { progress: (progress) => onProgress?.(progress) };
  const pool = new ThreadPool<Remote>({ ...options, size: threads, handlers });
  try {
    const load = pool as unknown as ThreadPool<ModelThreadOperations<Description>>;
    return { pool, model: await load.run("load", { download: true }, { signal }) };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
