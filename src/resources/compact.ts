import { join, resolve } from "node:path";
import type { Engine } from "../engine/engine.js";
import { sweepUploads } from "../engine/sweep-uploads.js";
import type { CompactedPlace, CompactProgress, CompactSummary } from "../storage/compaction.js";
import { readOnlyError } from "../storage/read-only-error.js";
import type { CallOptions } from "../types.js";
import { folderBytes } from "../util/folder-bytes.js";
import { parseInput } from "../validation/parse-input.js";
import { z } from "../vendor/zod.js";

export interface CompactOptions extends CallOptions {
  /**
   * Whether to write the whole database file of a directory anew. A file of an earlier version needs that once before it
   * can become smaller in steps. Searches go on. Writes wait until the end, and those of other processes fail as
   * retryable after 30 seconds. Needs the size of the file's content as free space in the directory and in that for
   * temporary files. Aborting stops the wait, not the rewriting. @default false
   */
  readonly rewrite?: boolean | undefined;
  /** Called after each step. */
  readonly onProgress?: ((progress: CompactProgress) => void) | undefined;
}

const optionsSchema = z.strictObject({
  rewrite: z.boolean().default(false),
  onProgress: z
    .custom<(progress: CompactProgress) => void>((value) => typeof value === "function", "must be a function")
    .optional(),
  signal: z.custom<AbortSignal>().optional(),
});

/** Gives space that nothing uses back to the file system, see `KnowledgeBase.compact`. */
export async function compact(engine: Engine, options: CompactOptions): Promise<CompactSummary> {
  const { rewrite, onProgress = () => {}, signal } = parseInput(optionsSchema, options);
  if (engine.options.readOnly) throw readOnlyError("compact()");
  const { storage } = engine;
  const bytesBefore = await fileBytes(engine);
  await sweepUploads(engine);
  // Rewriting may change the numbers of rows, in whose order the hashes of an earlier version's rows are computed.
  while (rewrite && (await storage.content.hash())) signal?.throwIfAborted();
  const compaction = storage.compact({ rewrite, signal });
  let step = await compaction.next();
  for (; !step.done; step = await compaction.next()) onProgress(step.value);
  const places: CompactedPlace[] = [...step.value.places];
  if (bytesBefore !== null) places.push({ place: "files", bytesBefore, bytesAfter: (await fileBytes(engine))! });
  const removals = await countRemovals(engine);
  return { places, remaining: [...(removals > 0 ? [describeRemovals(removals)] : []), ...step.value.remaining] };
}

/** Measures the files of uploads in the directory; `null` if they are elsewhere, or the directory is temporary. */
async function fileBytes({ options }: Engine): Promise<number | null> {
  if (options.blobs || options.directory === ":memory:") return null;
  return folderBytes(join(resolve(options.directory), "blobs"));
}

async function countRemovals({ storage, now }: Engine): Promise<number> {
  const { counts } = await storage.tasks.summarize({ now: now() });
  const removals = counts.filter(({ kind }) => kind !== "ingest" && kind !== "deliver_webhooks");
  return removals.reduce((sum, { tasks }) => sum + tasks, 0);
}

function describeRemovals(count: number): string {
  const removals = count === 1 ? "1 removal is" : `${count} removals are`;
  return `${removals} still queued. Compact again once a worker has run them (lorebase work, lorebase serve).`;
}
