import type { Operations } from "../rpc/rpc-peer.js";
import { serve } from "../rpc/serve.js";
import { loadModel, type TransformersLibrary } from "./load-model.js";
import type { ModelPoolHandlers, ModelThreadOperations } from "./model-pool.js";
import type { ModelSource } from "./model-source.js";

/**
 * Serves the one model of a worker thread. The first call opens the model; after a failure, the next call tries again.
 * Only `load` downloads: the pool's first thread does so once, and the other threads find the files on disk.
 *
 * @param operations The thread's operations besides `load`.
 */
export function serveModel<Description, Model extends { readonly description: Description }>(
  source: ModelSource,
  open: (library: TransformersLibrary, nameOrPath: string) => Promise<Model>,
  operations: (getModel: () => Promise<Model>) => Operations<object>,
): void {
  let opened: Promise<Model> | null = null;
  const getModel = ({ download }: { readonly download: boolean }) => {
    opened ??= loadModel(source, { download, onProgress: (progress) => pool.notify("progress", progress) }, open).catch(
      (error: unknown) => {
        opened = null;
        throw error;
      },
    );
    return opened;
  };
  const load = async (options: { readonly download: boolean }) => (await getModel(options)).description;
  const pool = serve<ModelThreadOperations<Description>, ModelPoolHandlers>({
    load,
    ...operations(() => getModel({ download: false })),
  });
}
