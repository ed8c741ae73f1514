import { resolve } from "node:path";
import { START, type StepPosition } from "../storage/transfer/transfer-state.js";
import type { CallOptions } from "../types.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import type { Positions } from "./copy-records.js";
import type { PhaseProgress } from "./progress.js";
import type { TransferEnds } from "./transfer-end.js";

const STEP = "files";
/** The number of files after which progress is recorded. */
const BATCH = 64;
/** The number of files copied at a time. */
const CONCURRENCY = 8;

/** Copies the files of completed uploads, unless both knowledge bases keep them in the same place. */
export async function copyFiles(
  ends: TransferEnds,
  positions: Positions,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<void> {
  if (haveSameFiles(ends)) return;
  const { from, to } = ends;
  let position: StepPosition = positions.get(STEP) ?? START;
  progress.add(position.count);
  while (!position.isDone) {
    signal?.throwIfAborted();
    const after = (position.after?.[0] as number | undefined) ?? 0;
    const files = await from.storage.transfer.listFiles({ after, limit: BATCH });
    await mapConcurrent(files, CONCURRENCY, ({ key }) => copyFile(ends, key, { signal }));
    const last = files.at(-1);
    const next = {
      after: last ? [last.seq] : position.after,
      count: position.count + files.length,
      isDone: last === undefined,
    };
    await to.storage.transfer.recordStep({ step: STEP, from: position, to: next });
    position = next;
    progress.add(files.length);
  }
}

function haveSameFiles({ from, to }: TransferEnds): boolean {
  if (from.blobsFolder !== null && to.blobsFolder !== null)
    return resolve(from.blobsFolder) === resolve(to.blobsFolder);
  return from.blobs === to.blobs;
}

/** Copies a file. One that is missing is reported when the files are compared. */
async function copyFile({ from, to }: TransferEnds, key: string, options: CallOptions): Promise<void> {
  const file = await from.blobs.get(key, options);
  if (file) await to.blobs.put(key, file.body, options);
}
