import assert from "node:assert/strict";
import type { Records } from "../../src/storage/facade.js";
import type { NewJob } from "../../src/storage/records/jobs.js";
import type { Lease } from "../../src/storage/records/lease.js";
import type { NewChunk } from "../../src/storage/search-index.js";
import type { Storage } from "../../src/storage/storage.js";
import type { Metadata, Scope } from "../../src/types.js";

export const ORGANIZATION = { id: "org", name: "One", plan: null, now: 0 };
export const NAMESPACE = {
  id: "ns",
  organizationId: "org",
  name: "Handbook",
  slug: "Handbook",
  embeddingConfig: { provider: "LEXICAL" },
  vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC" },
  now: 0,
};
export const SCOPE: Scope = { organizationId: "org", namespaceId: "ns", tenantId: null };
export const CAPACITY = 2;
export const LEASE_MS = 1000;

export function newJob(id: string, texts: readonly string[] = ["one"], tenantId: string | null = null): NewJob {
  return {
    id,
    organizationId: "org",
    namespaceId: "ns",
    tenantId,
    externalId: id,
    name: null,
    payload: JSON.stringify({ type: "BATCH", items: texts.map((text) => ({ type: "TEXT", text })) }),
    sealed: [],
    config: "{}",
    uploadKeys: [],
    capacity: CAPACITY,
    now: 0,
  };
}

export function claim(records: Records, owner: string, now: number) {
  return records.tasks.claim({ owner, now, leaseMs: LEASE_MS });
}

/** The documents of a claimed job, which are ready to be ingested. */
export async function begin(records: Records, lease: Lease, jobId: string) {
  await records.jobs.move({ lease, jobId, status: "PRE_PROCESSING", now: 1 });
  assert.equal((await records.jobs.expand({ lease, jobId, now: 1 })).hasAllDocuments, true);
  await records.jobs.move({ lease, jobId, status: "PROCESSING", now: 1 });
  return records.documents.listRunnable({ lease, jobId, resume: false, now: 1 });
}

export function publication(lease: Lease, seq: number, generation: number, chunks = 1) {
  return {
    ...{ lease, seq, generation, organizationId: "org", name: "one", mimeType: "text/plain", fileSize: 3 },
    ...{
      contentHash: "x",
      sourceVersion: null,
      source: null,
      warnings: [],
      chunks,
      tokens: 1,
      characters: 3,
      pages: 1,
    },
    now: 2,
  };
}

export interface DocumentInput {
  readonly chunks: readonly (Partial<Omit<NewChunk, "vector">> & {
    readonly text: string;
    readonly vector?: readonly number[];
  })[];
  readonly metadata?: Metadata;
  readonly tenantId?: string;
  /** @default English */
  readonly stemming?: number;
}

export interface StoredDocument {
  readonly id: string;
  readonly seq: number;
  readonly scopeId: number;
  readonly generation: number;
  readonly lease: Lease;
  /** The id of a chunk in stores. */
  chunkId(ordinal: number): string;
  publish(): Promise<boolean>;
}

/** Writes a document's chunks and vectors, by a job of its own; no search finds it before it is published. */
export async function writeDocument(storage: Storage, name: string, input: DocumentInput): Promise<StoredDocument> {
  await storage.jobs.create({ ...newJob(name, ["one"], input.tenantId ?? null), capacity: 1000 });
  const { lease } = (await claim(storage, name, 0))!;
  const [document] = await begin(storage, lease, name);
  const { id, seq, scopeId } = document!;
  await storage.documents.move({ lease, seq, status: "PRE_PROCESSING", now: 1 });
  const generation = (await storage.documents.openGeneration({ lease, seq, now: 1 }))!;
  const chunks = input.chunks.map(({ vector, ...chunk }, ordinal): NewChunk => {
    const defaults = { ordinal, indexText: chunk.text, headings: [], page: null, tokens: 1, start: 0, end: 3 };
    return { ...defaults, embeddingKey: null, ...chunk };
  });
  const cached = chunks.flatMap(({ embeddingKey: key }) => (key ? { key, vector: Uint8Array.of(1, 2, 3, 4) } : []));
  const written = await storage.documents.writeChunks({
    ...{ lease, documentSeq: seq, scopeId, generation, chunks, stemming: input.stemming ?? 1, pendingVectors: null },
    metadata: input.metadata ?? {},
    texts: [{ start: 0, text: "one", pageStarts: null }],
    cache: cached.length > 0 ? { namespaceId: "ns", entries: cached } : null,
  });
  assert.equal(written, true);
  const vectors = input.chunks.map(({ vector = [1, 0, 0] }, ordinal) => {
    return { documentId: id, generation, ordinal, vector: Float32Array.from(vector) };
  });
  await storage.index.writeVectors(vectors);
  return {
    ...{ id, seq, scopeId, generation, lease },
    chunkId: (ordinal) => `${id}.${generation}.${ordinal}`,
    publish: () => storage.documents.publish(publication(lease, seq, generation, chunks.length)),
  };
}

/** The same, published. */
export async function addDocument(storage: Storage, name: string, input: DocumentInput): Promise<StoredDocument> {
  const document = await writeDocument(storage, name, input);
  assert.equal(await document.publish(), true);
  return document;
}
