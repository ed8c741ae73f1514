import type { Engine } from "../engine/engine.js";
import { type Access, uploadsOf } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";

/** Files asked for at a time. */
const WIDTH = 16;

/**
 * Finds out which announced files their senders have given to a blob store that signs its own URLs: no upload is told to the engine
 * there. One of the announced size is finished from here on; any other stays as it is.
 */
export async function confirmUploads(
  engine: Engine,
  access: Access,
  keys: readonly string[],
  options: CallOptions,
): Promise<void> {
  if (!engine.blobs.presign || keys.length === 0) return;
  const pending = await uploadsOf(engine.database.query, access)
    .select(["key", "file_size"])
    .where("key", "in", keys)
    .where("state", "=", "pending")
    .execute();
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
  await engine.database.query
    .updateTable("uploads")
    .set({ state: "stored" })
    .where("key", "=", key)
    .where("state", "=", "pending")
    // One that is being removed is pending too, for ever.
    .where("expires_at", ">", 0)
    .execute();
}
