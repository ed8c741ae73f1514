import type { DownloadProgress } from "./hub-fetch.js";
import { loadModel, type TransformersLibrary } from "./load-model.js";
import type { ModelSource } from "./model-source.js";
import { emit } from "./serve.js";

/**
 * The one model of a worker thread, opened by the first call and kept. Only a call that allows it downloads: the pool's
 * first thread does so once, the others find the files on the disk. A call after a failure tries again.
 */
export function threadModel<Model>(
  source: ModelSource,
  open: (library: TransformersLibrary, nameOrPath: string) => Promise<Model>,
): (options?: { readonly download: boolean }) => Promise<Model> {
  let opened: Promise<Model> | null = null;
  return ({ download } = { download: false }) => {
    opened ??= loadModel(source, { download, onProgress: (progress: DownloadProgress) => emit(progress) }, open).catch(
      (error: unknown) => {
        opened = null;
        throw error;
      },
    );
    return opened;
  };
}
