import { storedChunkId } from "../domain/ids.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import type { VectorRecord, VectorStore } from "../interfaces/vector-store.js";
import type { UnembeddedChunk } from "../storage/records/missing-vectors.js";
import type { PendingVectors } from "../storage/records/pending-vectors.js";
import type { CallOptions, Metadata, Scope } from "../types.js";
import { groupBy } from "../util/group-by.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { awaitVisible } from "./await-visible.js";

/** Returns the published generations of chunks. */
export function generationsOf(
  owner: Omit<Scope, "tenantId">,
  chunks: readonly UnembeddedChunk[],
): readonly PendingVectors[] {
  const generations = new Map<string, PendingVectors>();
  for (const { documentId, generation, tenantId, totalChunks } of chunks)
    generations.set(documentId, { ...owner, tenantId, documentId, generation, chunks: totalChunks });
  return [...generations.values()];
}

/**
 * Sends vectors of chunks to a store, and waits until its queries find them. Those of all tenants are sent before the wait,
 * which may take seconds, so a batch waits once instead of once for each tenant.
 */
export async function sendChunks(
  store: VectorStore,
  owner: Omit<Scope, "tenantId">,
  chunks: readonly UnembeddedChunk[],
  vectors: readonly Float32Array[],
  call: CallOptions,
): Promise<void> {
  const sent = chunks.map((chunk, index) => ({ chunk, vector: vectors[index]! }));
  const batches = [...groupBy(sent, ({ chunk }) => chunk.tenantId)].map(([tenantId, ofTenant]) => {
    const scope = { ...owner, tenantId };
    return { scope, records: ofTenant.map(({ chunk, vector }) => toVectorRecord(scope, chunk, vector)) };
  });
  for (const { scope, records } of batches) await store.upsert(scope, records, call);
  await mapConcurrent(batches, batches.length, ({ scope, records }) => {
    const ids = records.map(({ id }) => id);
    return awaitVisible(store, scope, ids, call);
  });
}

function toVectorRecord(scope: Scope, chunk: UnembeddedChunk, vector: Float32Array): VectorRecord {
  const { documentId, generation, ordinal, page, metadata } = chunk;
  const passage = { documentId, ordinal, page, headings: JSON.parse(chunk.headings), metadata };
  const id = storedChunkId(documentId, generation, ordinal);
  return { id, documentId, generation, vector, metadata: publicMetadata<Metadata>(scope, passage) };
}
