import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import type { StoredFile } from "../storage/transfer/survey.js";
import type { CallOptions } from "../types.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import type { PhaseProgress } from "./progress.js";
import type { TransferEnds } from "./transfer-end.js";

/** The files that both knowledge bases have. */
export interface ComparedFiles {
  readonly count: number;
  readonly bytes: number;
  /** The keys of files that are missing or damaged in the source, and equally in the target. */
  readonly damaged: readonly string[];
}

const BATCH = 64;
const CONCURRENCY = 4;

/**
 * Reads the files of completed uploads in the target, and compares them with their records or else with the source.
 * @throws KnowledgeBaseError `conflict` if a file differs from the source
 */
export async function compareFiles(
  ends: TransferEnds,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<ComparedFiles> {
  const damaged: string[] = [];
  let count = 0;
  let bytes = 0;
  for (let after = 0; ; ) {
    const files = await ends.from.storage.transfer.listFiles({ after, limit: BATCH });
    const last = files.at(-1);
    if (!last) return { count, bytes, damaged };
    await mapConcurrent(files, CONCURRENCY, async (file) => {
      const size = await compareFile(ends, file, { signal });
      progress.add(1);
      if (size === null) damaged.push(file.key);
      else {
        count++;
        bytes += size;
      }
    });
    after = last.seq;
  }
}

/** Returns the size of the file; `null` if it is missing or damaged in the source too. */
async function compareFile(
  { from, to }: TransferEnds,
  { key, size, sha256 }: StoredFile,
  options: CallOptions,
): Promise<number | null> {
  const copy = await readFile(to.blobs, key, options);
  if (copy?.size === size && copy.sha256 === sha256) return size;
  const original = await readFile(from.blobs, key, options);
  if (copy?.size === original?.size && copy?.sha256 === original?.sha256)
    return copy?.size === size && sha256 === null ? size : null;
  throw new KnowledgeBaseError("conflict", `The file ${key} differs in the target. Empty the target, and start again.`);
}

/** Returns the size and hash of a file; `null` if it is missing. */
async function readFile(
  blobs: BlobStore,
  key: string,
  options: CallOptions,
): Promise<{ readonly size: number; readonly sha256: string } | null> {
  const file = await blobs.get(key, options);
  if (!file) return null;
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of file.body) {
    hash.update(part);
    size += part.byteLength;
  }
  return { size, sha256: hash.digest("hex") };
}
