import { existsSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import { type DownloadProgress, HubFetch } from "./hub-fetch.js";
import { isModelPath, type ModelSource, modelDirectory } from "./model-source.js";

export type TransformersLibrary = typeof import("@huggingface/transformers");

/**
 * Imported through this variable, so that bundlers don't try to bundle the package's binary files, or fail if the
 * package is absent.
 */
const LIBRARY: string = "@huggingface/transformers";
/** Package managers silently skip an optional package whose install script fails. */
const NOT_INSTALLED = "is not installed (optional packages were left out, or its install script failed)";
/**
 * The environment variable keeps onnxruntime-node's install script from downloading CUDA files, which fails behind many
 * proxies.
 */
const INSTALL_COMMAND = "ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers";
/** Files that every text model needs besides its weights. */
const REQUIRED_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json"];

/** One thread per session: sessions in parallel worker threads are faster than one session with several threads. */
export const SESSION_OPTIONS = { intraOpNumThreads: 1, interOpNumThreads: 1 } as const;

export interface LoadModelOptions {
  /** Whether to download files that are not on disk. */
  readonly download: boolean;
  onProgress(progress: DownloadProgress): void;
}

/**
 * Opens a model in a worker thread, which must not load another model. Looks in the models directory first, then
 * downloads from the hub into it (the library renames a temporary file, so two processes may do this at once).
 *
 * Fails with `unsupported` if the library is absent, `not_ready` if the files are neither on disk nor downloadable,
 * and `provider_failed` if they are not a usable model.
 */
export async function loadModel<Model>(
  source: ModelSource,
  options: LoadModelOptions,
  open: (library: TransformersLibrary, nameOrPath: string) => Promise<Model>,
): Promise<Model> {
  const library = await importLibrary();
  const isPath = isModelPath(source.model);
  const hub = new HubFetch({ ...source.hub, model: source.model, onProgress: options.onProgress });
  const { env } = library;
  env.logLevel = library.LogLevel.NONE;
  env.localModelPath = source.modelsDirectory;
  env.cacheDir = source.modelsDirectory;
  env.useFSCache = !isPath;
  env.useWasmCache = false;
  env.allowRemoteModels = options.download && !isPath;
  env.remoteHost = source.hub.host;
  env.fetch = hub.fetch;
  try {
    return await open(library, isPath ? modelDirectory(source) : source.model);
  } catch (error) {
    throw loadError(source, { fetchFailure: hub.failure, download: options.download }, error);
  }
}

async function importLibrary(): Promise<TransformersLibrary> {
  try {
    return (await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ LIBRARY
    )) as TransformersLibrary;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    const problem = isMissing ? NOT_INSTALLED : `cannot be loaded (${getErrorMessage(error)})`;
    const message =
      `Local transformer models need the package @huggingface/transformers, which ${problem}. ` +
      `To install it, run ${INSTALL_COMMAND}`;
    throw new KnowledgeBaseError("unsupported", message, { cause: error });
  }
}

interface FailedLoad {
  /** The first failed request; `null` if there was none. */
  readonly fetchFailure: Error | null;
  readonly download: boolean;
}

function loadError(source: ModelSource, { fetchFailure, download }: FailedLoad, error: unknown): KnowledgeBaseError {
  const directory = modelDirectory(source);
  const missingFiles = REQUIRED_FILES.filter((file) => !existsSync(join(directory, file)));
  const isFileMissing = error instanceof Error && error.name === "ModelFileNotFoundError";
  if (fetchFailure === null && !isFileMissing && missingFiles.length === 0) {
    const message = `The model "${source.model}" in ${directory} could not be loaded: ${getErrorMessage(error)}`;
    return new KnowledgeBaseError("provider_failed", message, { cause: error });
  }
  const reason = getErrorMessage(fetchFailure ?? error);
  const remedy = `Put ${[...REQUIRED_FILES, "onnx/*.onnx"].join(", ")} of the model into that directory`;
  const [problem, ending] = isModelPath(source.model)
    ? ["are incomplete", "."]
    : download
      ? [
          `are incomplete, and fetching them from ${source.hub.host} failed (${reason})`,
          `, or make ${source.hub.host} reachable.`,
        ]
      : [
          "are incomplete, and a knowledge base that is open with readOnly downloads none into its own directory",
          ", or set the option modelsDirectory.",
        ];
  const message = `The files of the model "${source.model}" in ${directory} ${problem}. ${remedy}${ending}`;
  return new KnowledgeBaseError("not_ready", message, { cause: error, retryable: fetchFailure !== null });
}
