import { availableParallelism } from "node:os";
import type { ProviderContext } from "../interfaces/provider.js";
import type { Operations } from "../rpc/rpc-peer.js";
import { ThreadPool } from "../rpc/thread-pool.js";
import type { DownloadProgress } from "./hub-fetch.js";
import { DEFAULT_HUB, type ModelHub, type ModelSource } from "./model-source.js";

/** The operation that all model threads have. `load` downloads missing files if requested, and opens the model. */
export interface ModelThreadOperations<Description> {
  load(options: { readonly download: boolean }): Promise<Description>;
}

/** The operations that a model thread may call on the thread that owns its pool. */
export interface ModelPoolHandlers {
  progress(progress: DownloadProgress): void;
}

export interface LocalModelOptions {
  /**
   * Maximum number of worker threads, each with its own copy of the model. They start when calls need them.
   * @default one for each core
   */
  readonly threads?: number;
  /** The hub to download missing models from. */
  readonly hub?: Partial<ModelHub>;
}

export interface ModelPoolOptions extends LocalModelOptions {
  /** The module that each thread runs; it calls `serveModel`. */
  readonly entry: URL;
  /** The threads' name, for debuggers and error messages. */
  readonly name: string;
  readonly model: string;
  /** Cloned into each thread, together with the model's `source`, as its `workerData`. */
  readonly setup: object;
  readonly context: ProviderContext;
}

/** Starts a pool whose first thread opens the model. Returns the pool and the model's description. */
export async function startModelPool<
  Description,
  Remote extends ModelThreadOperations<Description> & Operations<Remote>,
>(options: ModelPoolOptions): Promise<{ readonly pool: ThreadPool<Remote>; readonly description: Description }> {
  const { entry, name, model, setup, context, threads = availableParallelism(), hub } = options;
  const { modelsDirectory, downloadModels = true, onProgress, signal } = context;
  const source: ModelSource = { model, modelsDirectory, hub: { ...DEFAULT_HUB, ...hub } };
  // Builds of ONNX Runtime since 1.30 send usage to Microsoft unless this is set in the environment of the process, which
  // threads and their native code share (https://github.com/microsoft/onnxruntime/pull/27379).
  // biome-ignore lint/style/noProcessEnv: native code reads it, and there is no other way to set it.
  process.env.ORT_DISABLE_TELEMETRY ??= "1";
  const handlers: ModelPoolHandlers = { progress: (progress) => onProgress?.(progress) };
  const pool = new ThreadPool<Remote>({ entry, name, workerData: { ...setup, source }, maxThreads: threads, handlers });
  try {
    const loadingPool = pool as unknown as ThreadPool<ModelThreadOperations<Description>>;
    return { pool, description: await loadingPool.run("load", { download: downloadModels }, { signal }) };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
