import type { Engine } from "../engine/engine.js";
import type { Access } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";

/** Files asked for at a time. */
const WIDTH = 16;

/**
 * Finds out which announced files their senders have given to a blob store that signs its own URLs: no upload is told
 * to the engine there. One of the announced size is finished from here on; any other stays as it is.
 */
export async function confirmUploads(
  engine: Engine,
  access: Access,
  keys: readonly string[],
  options: CallOptions,
): Promise<void> {
  if (!engine.blobs.presign || keys.length === 0) return;
  const pending = await engine.storage.uploads.pending({ namespaceId: access.namespaceId, keys });
  for (let start = 0; start < pending.length; start += WIDTH) {
    await Promise.all(
      pending.slice(start, start + WIDTH).map(({ key, file_size: size }) => confirm(engine, key, size, options)),
    );
  }
}

async function confirm(engine: Engine, key: string, announced: number, options: CallOptions): Promise<void> {
  const blob = await engine.blobs.get(key, options);
  await blob?.body.cancel();
  if (blob?.size !== announced) return;
  await engine.storage.uploads.confirm({ key });
}
