import { KnowledgeBaseError } from "../errors.js";
import type { ChunkCursor, SetCheck } from "../storage/records/missing-vectors.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, Reembedding, Scope } from "../types.js";
import type { Engine } from "./engine.js";

/** The number of missing vectors up to which an error says how many there are. */
const MAX_COUNTED = 1000;

/**
 * Looks for published chunks without a vector in the set that searches don't use, in steps and without locks; `null` if the
 * namespace has one set of vectors only.
 */
export async function checkVectorSet(
  storage: Storage,
  namespaceId: string,
  options: CallOptions,
): Promise<SetCheck | null> {
  const check = await storage.reembeddings.beginCheck({ namespaceId });
  if (!check) return null;
  const { vectorSet } = check;
  return { ...check, isComplete: (await countMissing(storage, { namespaceId, vectorSet, max: 1 }, options)) === 0 };
}

/**
 * Requires that every published chunk has a vector in the set that searches don't use, such as before both are compared.
 * Otherwise lets the worker write what is missing, unless an error has stopped it.
 * @throws KnowledgeBaseError `conflict`, which is retryable if the worker writes the vectors
 */
export async function requireCompleteSet(
  { storage, events, now }: Engine,
  { organizationId, namespaceId }: Omit<Scope, "tenantId">,
  { vectorSet, error, isStopped }: Pick<Reembedding, "vectorSet" | "error" | "isStopped">,
  options: CallOptions,
): Promise<void> {
  const missing = await countMissing(storage, { namespaceId, vectorSet, max: MAX_COUNTED }, options);
  if (missing === 0) return;
  const count = missing < MAX_COUNTED ? missing : `at least ${missing}`;
  const passages = missing === 1 ? "passage" : "passages";
  const problem = `The models can't be compared, since the other one's vectors are missing for ${count} ${passages}`;
  if (isStopped)
    throw new KnowledgeBaseError("conflict", `${problem}, and an error has stopped writing them: ${error} Resume it.`);
  await storage.reembeddings.resume({ organizationId, namespaceId, now: now() });
  events.emitWorkAdded();
  throw new KnowledgeBaseError("conflict", `${problem}: the worker writes them, so try again later.`, {
    retryable: true,
  });
}

/** Counts the published chunks without a vector in a set, up to `max`. */
async function countMissing(
  { reembeddings }: Storage,
  { max, ...set }: { readonly namespaceId: string; readonly vectorSet: number; readonly max: number },
  { signal }: CallOptions,
): Promise<number> {
  let count = 0;
  let cursor: ChunkCursor | null = { scopeId: 0, chunkSeq: 0 };
  while (cursor && count < max) {
    signal?.throwIfAborted();
    const step = await reembeddings.readChunks({ ...set, cursor, limit: max - count, isPublished: true });
    count += step.chunks.length;
    cursor = step.cursor;
  }
  return count;
}
