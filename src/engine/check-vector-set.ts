import type { SetCheck } from "../storage/records/missing-vectors.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions } from "../types.js";

/**
 * Looks for published chunks without a vector in the set that searches don't use, in steps and without locks; `null` if the
 * namespace has one set of vectors only.
 */
export async function checkVectorSet(
  { reembeddings }: Storage,
  namespaceId: string,
  { signal }: CallOptions,
): Promise<SetCheck | null> {
  const check = await reembeddings.beginCheck({ namespaceId });
  if (!check) return null;
  const query = { namespaceId, vectorSet: check.vectorSet, isPublished: true, limit: 1 };
  let next = await reembeddings.readChunks({ ...query, cursor: { scopeId: 0, chunkSeq: 0 } });
  while (next.chunks.length === 0 && next.cursor) {
    signal?.throwIfAborted();
    next = await reembeddings.readChunks({ ...query, cursor: next.cursor });
  }
  return { ...check, isComplete: next.chunks.length === 0 };
}
