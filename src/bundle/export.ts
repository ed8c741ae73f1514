import type { Engine } from "../engine/engine.js";
import { embedderOf } from "../engine/namespace-drivers.js";
import { reportDamagedText } from "../engine/report-damage.js";
import { damagedChunkError } from "../resources/published-chunks.js";
import { maskedNames } from "../secrets/config-secrets.js";
import { MASK_PREFIX } from "../secrets/sealed-values.js";
import type { Access } from "../storage/records/access.js";
import type { DocumentWithSource } from "../storage/records/document-queries.js";
import type { BundleChunk, StorageSnapshot } from "../storage/snapshot.js";
import type { CallOptions, DocumentSource, Namespace } from "../types.js";
import { packageVersion } from "../util/package-version.js";
import { BundleFile } from "./bundle-file.js";
import { type BundleEnd, type BundleHeader, type ChunkRecord, FILE_PART_BYTES } from "./records.js";

const CHUNKS_PER_QUERY = 200;
/** As the tenant of a query, includes the records of all tenants. */
const ALL_TENANTS = null;

export interface ExportOptions extends CallOptions {
  /** Whether to include the uploaded files of the documents. @default false */
  readonly includeOriginals?: boolean | undefined;
}

/** What a bundle contains. */
export type BundleContents = Omit<BundleEnd, "type">;

/**
 * Writes the published documents of a namespace, with their chunks and vectors, to one file. The documents are those of
 * one moment.
 * @throws KnowledgeBaseError `not_ready` if a stored text, chunk or vector is damaged
 */
export async function exportNamespace(
  engine: Engine,
  access: Access,
  path: string,
  { includeOriginals = false, signal }: ExportOptions,
): Promise<BundleContents> {
  const embedder = await embedderOf(engine, access, access.namespace.embeddingConfig);
  const snapshot = await engine.storage.openSnapshot();
  const bundle = await BundleFile.create(path);
  try {
    const { provider, model, dimensions, fingerprint = "" } = embedder;
    const header: BundleHeader = {
      type: "header",
      format: "lorebase-bundle",
      version: 1,
      madeWith: packageVersion(),
      createdAt: new Date(engine.now()).toISOString(),
      namespace: describeNamespace(access.namespace),
      embedder: { provider, model, dimensions, fingerprint },
      hasOriginals: includeOriginals,
    };
    await bundle.write(header);
    const writer = new NamespaceWriter(engine, snapshot, bundle, access.namespaceId, { includeOriginals, signal });
    const contents = await writer.write();
    await bundle.write({ type: "end", ...contents });
    signal?.throwIfAborted();
    await bundle.finish();
    return contents;
  } catch (error) {
    await bundle.discard();
    throw error;
  } finally {
    await snapshot.close();
  }
}

/** Providers' keys never leave: their fields are left out. */
function describeNamespace({ name, slug, embeddingConfig, vectorStoreConfig }: Namespace): BundleHeader["namespace"] {
  const secrets = maskedNames(embeddingConfig);
  const publicConfig = Object.entries(embeddingConfig).filter(([field]) => !secrets.includes(field));
  return {
    name,
    slug,
    embeddingConfig: { ...Object.fromEntries(publicConfig), provider: embeddingConfig.provider },
    approximate: vectorStoreConfig.approximate === true,
  };
}

/** Writes jobs, files, documents and chunks of a snapshot. */
class NamespaceWriter {
  readonly #engine: Engine;
  readonly #snapshot: StorageSnapshot;
  readonly #bundle: BundleFile;
  readonly #namespaceId: string;
  readonly #includeOriginals: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #jobNumbers = new Map<string, number>();
  /** The numbers of files by their keys. */
  readonly #fileNumbers = new Map<string, number>();
  readonly #counts = { jobs: 0, files: 0, documents: 0, chunks: 0 };

  constructor(
    engine: Engine,
    snapshot: StorageSnapshot,
    bundle: BundleFile,
    namespaceId: string,
    { includeOriginals, signal }: { includeOriginals: boolean; signal: AbortSignal | undefined },
  ) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#bundle = bundle;
    this.#namespaceId = namespaceId;
    this.#includeOriginals = includeOriginals;
    this.#signal = signal;
  }

  async write(): Promise<BundleContents> {
    for await (const document of this.#documents()) await this.#writeDocument(document);
    return this.#counts;
  }

  async *#documents(): AsyncGenerator<DocumentWithSource> {
    const namespaceId = this.#namespaceId;
    for (const seq of await this.#snapshot.bundleDocuments({ namespaceId })) {
      this.#signal?.throwIfAborted();
      const range = { after: seq - 1, direction: "asc", offset: 0, limit: 1 } as const;
      const [document] = await this.#snapshot.documents.list({ namespaceId, tenantId: ALL_TENANTS, range });
      yield document!;
    }
  }

  async #writeDocument(document: DocumentWithSource): Promise<void> {
    const job = await this.#writeJob(document.ingestJobId);
    const { item, name, config, fileSize, mimeType, contentHash, createdAt } = document;
    const file = await this.#writeFile(document.sourceKey);
    this.#counts.documents++;
    await this.#bundle.write({
      type: "document",
      job,
      item,
      name,
      nameGiven: document.nameGiven === 1,
      file,
      discoveryKey: document.foundKey,
      config,
      source: withoutMasks(document.source),
      warnings: JSON.parse(document.warnings),
      fileSize,
      mimeType,
      contentHash,
      chunks: document.totalChunks,
      tokens: document.totalTokens,
      characters: document.totalCharacters,
      pages: document.totalPages,
      createdAt,
    });
    await this.#writeText(document);
    await this.#writeChunks(document);
  }

  /** Writes a job before its first document. Returns its number. */
  async #writeJob(jobId: string): Promise<number> {
    const written = this.#jobNumbers.get(jobId);
    if (written !== undefined) return written;
    const number = this.#counts.jobs++;
    this.#jobNumbers.set(jobId, number);
    const job = (await this.#snapshot.jobs.get({ namespaceId: this.#namespaceId, tenantId: ALL_TENANTS, jobId }))!;
    const { tenantId, externalId, name, config, createdAt } = job;
    const payload = withoutMasks(job.payload);
    await this.#bundle.write({ type: "job", tenantId, externalId, name, config, payload, createdAt });
    return number;
  }

  /** Writes the original of a document, once for all documents that share it. Returns its number. */
  async #writeFile(key: string | null): Promise<number | null> {
    if (key === null || !this.#includeOriginals) return null;
    const written = this.#fileNumbers.get(key);
    if (written !== undefined) return written;
    const [upload, blob] = await Promise.all([this.#snapshot.uploads.get({ key }), this.#engine.blobs.get(key)]);
    // Its document remains searchable without its original.
    if (!upload?.sha256 || !blob) {
      await blob?.body.cancel();
      this.#engine.events.warn(`The file ${key} is missing and not in the bundle.`);
      return null;
    }
    const number = this.#counts.files++;
    this.#fileNumbers.set(key, number);
    const { fileName, contentType, sha256 } = upload;
    await this.#bundle.write({ type: "file", fileName, contentType, size: blob.size, sha256 });
    for await (const bytes of blob.body as AsyncIterable<Uint8Array>) {
      this.#signal?.throwIfAborted();
      for (let from = 0; from < bytes.length; from += FILE_PART_BYTES) {
        const part = Buffer.from(bytes.subarray(from, from + FILE_PART_BYTES));
        await this.#bundle.write({ type: "data", bytes: part.toString("base64") });
      }
    }
    return number;
  }

  async #writeText(document: DocumentWithSource): Promise<void> {
    const { seq: documentSeq, generation } = document;
    const { documents } = this.#snapshot;
    for (let start = 0; ; ) {
      const [part] = await documents.listTextParts({ documentSeq, generation, start, end: start + 1 });
      if (!part) return;
      if (part.isDamaged) throw reportDamagedText(this.#engine, document);
      const pages = start === 0 ? await documents.getPageStarts({ documentSeq, generation }) : undefined;
      if (pages === "damaged") throw reportDamagedText(this.#engine, document);
      const pageStarts = pages === undefined || pages.length < 2 ? null : [...pages];
      await this.#bundle.write({ type: "text", start, text: part.text, pageStarts });
      start = part.end;
    }
  }

  async #writeChunks(document: DocumentWithSource): Promise<void> {
    const { seq: documentSeq, generation, totalChunks } = document;
    for (let from = 0; from < totalChunks; from += CHUNKS_PER_QUERY) {
      this.#signal?.throwIfAborted();
      const chunks = await this.#snapshot.bundleChunks({ documentSeq, generation, from, limit: CHUNKS_PER_QUERY });
      for (const chunk of chunks) {
        if (chunk.isDamaged) throw damagedChunkError(this.#engine, document, chunk.ordinal);
        await this.#bundle.write(toRecord(chunk));
      }
      this.#counts.chunks += chunks.length;
    }
  }
}

function toRecord({ headings, vector, ...chunk }: BundleChunk): ChunkRecord {
  const { ordinal, text, indexText, page, metadata, tokens, start, end, boxes, stemming } = chunk;
  return {
    type: "chunk",
    ...{ ordinal, text, indexText, page, metadata, tokens, start, end, boxes, stemming },
    headings: JSON.parse(headings),
    vector: vector === null ? null : Buffer.from(vector).toString("base64"),
  };
}

/** Removes the last characters of secrets, which masks show. */
function withoutMasks(json: string): string {
  if (!json.includes(MASK_PREFIX)) return json;
  const value: unknown = JSON.parse(json, (_, each: unknown) =>
    typeof each === "string" && each.startsWith(MASK_PREFIX) ? MASK_PREFIX : each,
  );
  return JSON.stringify(value as DocumentSource);
}
