import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import { checkVector } from "../providers/check-vector.js";
import { parsePositions } from "../storage/chunk-positions.js";
import { IMPORTED_GENERATION, type ImportStep } from "../storage/records/imports.js";
import type { ChunkVector, NewChunk } from "../storage/search-index.js";
import type { DocumentSource, Metadata } from "../types.js";
import { FileWriter } from "./file-writer.js";
import { decodeVector } from "./record-order.js";
import type { BundleRecord, ChunkRecord, DocumentRecord } from "./records.js";

/** A transaction is written at one of these sizes. It keeps other writers waiting for some tens of milliseconds. */
const MAX_CHUNKS = 250;
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_STEPS = 500;
const EMBED_BATCH_SIZE = 64;

interface ImportTarget {
  readonly namespaceId: string;
  /** Computes the vectors that the bundle lacks or that are not kept; `null` if there are none. */
  readonly embedder: Embedder | null;
  /** Whether the vectors in the bundle are those of the namespace's embedder. */
  readonly keepsVectors: boolean;
  readonly leaseMs: number;
  /** Create new ids: those in a bundle may be taken. */
  readonly ids: { job(): string; document(): string; file(): string };
  readonly signal: AbortSignal;
}

/** Writes the records of a bundle to a hidden namespace, in transactions of limited size. */
export class ImportWriter {
  readonly #engine: Engine;
  readonly #target: ImportTarget;
  readonly #jobs: { readonly id: string; readonly tenantId: string | null }[] = [];
  readonly #files: FileWriter;
  #documentId: string | null = null;
  #steps: ImportStep[] = [];
  #chunks: { readonly documentId: string; readonly record: ChunkRecord }[] = [];
  #characters = 0;
  /** The documents whose last chunks are in this batch. They end once the vectors of the batch are written. */
  #ended: string[] = [];

  constructor(engine: Engine, target: ImportTarget) {
    this.#engine = engine;
    this.#target = target;
    this.#files = new FileWriter(engine, target);
  }

  async add(record: BundleRecord): Promise<void> {
    if (record.type !== "data") await this.#files.end();
    switch (record.type) {
      case "job": {
        const { type, ...job } = record;
        const id = this.#target.ids.job();
        this.#jobs.push({ id, tenantId: job.tenantId });
        this.#steps.push({ type: "job", job: { id, ...job } });
        this.#characters += job.payload.length;
        break;
      }
      case "file":
        await this.#files.begin(record);
        break;
      case "data":
        await this.#files.add(Buffer.from(record.bytes, "base64"));
        break;
      case "document":
        this.#endDocument();
        this.#beginDocument(record);
        break;
      case "text": {
        const { start, text, pageStarts } = record;
        this.#steps.push({ type: "text", documentId: this.#documentId!, part: { start, text, pageStarts } });
        this.#characters += text.length;
        break;
      }
      case "chunk":
        this.#chunks.push({ documentId: this.#documentId!, record });
        this.#characters += record.text.length;
        break;
      case "skipped":
      case "end":
        this.#endDocument();
        break;
    }
    const isFull =
      this.#chunks.length >= MAX_CHUNKS || this.#characters >= MAX_CHARACTERS || this.#steps.length >= MAX_STEPS;
    if (isFull) await this.#flush();
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#flush();
  }

  #beginDocument(record: DocumentRecord): void {
    const job = this.#jobs[record.job]!;
    const id = this.#target.ids.document();
    const { type, job: number, file, warnings, source, ...document } = record;
    const sourceKey = file === null ? null : this.#files.keyOf(file);
    this.#documentId = id;
    this.#characters += source.length;
    this.#steps.push({
      type: "document",
      document: {
        ...document,
        id,
        jobId: job.id,
        tenantId: job.tenantId,
        sourceKey,
        source: this.#withKey(source, sourceKey),
        warnings: JSON.stringify(warnings),
      },
    });
  }

  /** Replaces the key of an uploaded file, which may belong to another namespace. */
  #withKey(source: string, key: string | null): string {
    const parsed = JSON.parse(source) as DocumentSource;
    if (parsed.type !== "MANAGED_FILE") return source;
    return JSON.stringify({ ...parsed, key: key ?? this.#target.ids.file() });
  }

  #endDocument(): void {
    if (this.#documentId !== null) this.#ended.push(this.#documentId);
    this.#documentId = null;
  }

  async #flush(): Promise<void> {
    this.#target.signal.throwIfAborted();
    const [chunks, ended] = [this.#chunks, this.#ended];
    const steps = [...this.#steps, ...toSteps(chunks)];
    this.#steps = ended.map((documentId) => ({ type: "end", documentId }));
    [this.#chunks, this.#ended, this.#characters] = [[], [], 0];
    const { imports, index } = this.#engine.storage;
    const { namespaceId, leaseMs } = this.#target;
    if (steps.length > 0) await imports.write({ namespaceId, now: this.#engine.now(), delayMs: leaseMs, steps });
    if (chunks.length > 0) await index.writeVectors(await this.#vectorsOf(chunks));
  }

  async #vectorsOf(
    chunks: readonly { readonly documentId: string; readonly record: ChunkRecord }[],
  ): Promise<readonly ChunkVector[]> {
    const { embedder, keepsVectors } = this.#target;
    const vectors = chunks.map(({ record }) =>
      keepsVectors && record.vector !== null ? decodeVector(record.vector) : null,
    );
    const missing = vectors.flatMap((vector, index) => (vector === null ? [index] : []));
    const batchSize = embedder?.maxBatchSize ?? EMBED_BATCH_SIZE;
    for (let from = 0; from < missing.length; from += batchSize) {
      const indexes = missing.slice(from, from + batchSize);
      const texts = indexes.map((index) => chunks[index]!.record.indexText ?? chunks[index]!.record.text);
      const embedded = await embedder!.embed(texts, { purpose: "document", signal: this.#target.signal });
      for (const [position, index] of indexes.entries()) {
        const vector = embedded[position];
        if (!vector) throw new KnowledgeBaseError("provider_failed", "The embedder returned fewer vectors than texts.");
        checkVector(embedder!, vector);
        vectors[index] = vector;
      }
    }
    return chunks.map(({ documentId, record: { ordinal } }, index) => ({
      documentId,
      generation: IMPORTED_GENERATION,
      ordinal,
      vector: vectors[index]!,
    }));
  }
}

/** Joins the chunks of a document with the same metadata and analyzer into one step. */
function toSteps(chunks: readonly { readonly documentId: string; readonly record: ChunkRecord }[]): ImportStep[] {
  const steps: ImportStep[] = [];
  let previousKey: string | null = null;
  let joined: NewChunk[] = [];
  for (const { documentId, record } of chunks) {
    const key = `${documentId} ${record.stemming} ${record.metadata}`;
    if (previousKey !== key) {
      joined = [];
      const metadata = JSON.parse(record.metadata) as Metadata;
      steps.push({ type: "chunks", documentId, batch: { chunks: joined, metadata, stemming: record.stemming } });
    }
    previousKey = key;
    joined.push(toChunk(record));
  }
  return steps;
}

function toChunk({ ordinal, text, indexText, headings, page, tokens, start, end, boxes }: ChunkRecord): NewChunk {
  const chunk = { ordinal, text, indexText: indexText ?? text, headings, page, tokens, start, end, embeddingKey: null };
  return { ...chunk, ...parsePositions(boxes) };
}
