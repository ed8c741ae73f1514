import { matchesFilter } from "../filter.js";
import type { VectorRecord, VectorStore } from "../interfaces/vector-store.js";
import type { Scope } from "../types.js";

export interface MemoryVectorStoreOptions {
  /** @default "MEMORY" */
  readonly provider?: string;
}

export interface MemoryVectorStore extends VectorStore {
  /** The number of records in all scopes. */
  readonly size: number;
  readonly closed: boolean;
}

/** Creates a vector store in memory that compares all vectors: the reference implementation for other stores. */
export function memoryVectorStore({ provider = "MEMORY" }: MemoryVectorStoreOptions = {}): MemoryVectorStore {
  const scopes = new Map<string, Map<string, VectorRecord>>();
  let closed = false;
  const getRecords = (scope: Scope) => {
    const key = JSON.stringify([scope.organizationId, scope.namespaceId, scope.tenantId]);
    const records = scopes.get(key) ?? new Map<string, VectorRecord>();
    scopes.set(key, records);
    return records;
  };
  return {
    provider,
    get size() {
      return [...scopes.values()].reduce((total, records) => total + records.size, 0);
    },
    get closed() {
      return closed;
    },
    async upsert(scope, records, { signal } = {}) {
      signal?.throwIfAborted();
      const stored = getRecords(scope);
      for (const record of records) stored.set(record.id, { ...record, vector: record.vector.slice() });
    },
    async query(scope, { vector, topK, filter }, { signal } = {}) {
      signal?.throwIfAborted();
      return [...getRecords(scope).values()]
        .filter(({ metadata }) => filter === null || matchesFilter(filter, metadata))
        .map(({ id, vector: stored }) => ({ id, similarity: cosine(stored, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, topK);
    },
    async delete(scope, target, { signal } = {}) {
      signal?.throwIfAborted();
      const stored = getRecords(scope);
      for (const { id, documentId, generation } of [...stored.values()]) {
        const matches =
          target === "all" ||
          (target.documentId === documentId && (target.generation === undefined || target.generation === generation));
        if (matches) stored.delete(id);
      }
    },
    async close() {
      closed = true;
    },
  };
}

/** Computes the cosine similarity with `hypot`, so that no square underflows or overflows. */
function cosine(a: Float32Array, b: Float32Array): number {
  const scale = Math.hypot(...a) * Math.hypot(...b);
  if (scale === 0) return 0;
  const dot = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return Math.min(1, Math.max(-1, dot / scale));
}
