import type { Engine } from "../engine/engine.js";
import { openUpload } from "../engine/open-upload.js";
import { reportDamagedChunks, reportDamagedText } from "../engine/report-damage.js";
import { verifiedBody } from "../engine/verified-body.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import { MASK_PREFIX } from "../secrets/sealed-values.js";
import { isWholeSource } from "../storage/check/check-contents.js";
import { withAllow } from "../storage/records/document-access.js";
import type { DocumentWithSource } from "../storage/records/document-queries.js";
import type { BundleChunk, StorageSnapshot } from "../storage/snapshot.js";
import { isUnreadable } from "../storage/unreadable.js";
import type { DocumentSource, Namespace } from "../types.js";
import type { BundleFile, BundlePosition } from "./bundle-file.js";
import {
  type BundleEnd,
  type BundleRecord,
  type ChunkRecord,
  FILE_PART_BYTES,
  recordSchema,
  type SkippedRecord,
} from "./records.js";

const CHUNKS_PER_QUERY = 200;
/** As the tenant of a query, includes the records of all tenants. */
const ALL_TENANTS = null;
const CHANGED = "is not what was written: the disk or another program has changed it.";
const UNREADABLE = "Its rows can't be read: the database file is damaged.";

/** What a {@link NamespaceWriter} has written, and what it has left out. */
export interface WrittenNamespace extends Counts {
  readonly skipped: readonly Omit<SkippedRecord, "type">[];
}

type Counts = Omit<BundleEnd, "type" | "skipped">;

/** Something of a document that is damaged, as sentences. */
class Damage extends Error {}

/** Writes jobs, files, documents and chunks of a snapshot. Leaves out what is damaged. */
export class NamespaceWriter {
  readonly #engine: Engine;
  readonly #snapshot: StorageSnapshot;
  readonly #bundle: BundleFile;
  readonly #namespace: Namespace;
  readonly #includeOriginals: boolean;
  readonly #signal: AbortSignal | undefined;
  /** The numbers of jobs by their ids, and those of files by their keys. */
  readonly #jobNumbers = new Map<string, number>();
  readonly #fileNumbers = new Map<string, number>();
  #counts: Counts = { jobs: 0, files: 0, documents: 0, chunks: 0 };
  readonly #skipped: Omit<SkippedRecord, "type">[] = [];

  constructor(
    engine: Engine,
    snapshot: StorageSnapshot,
    bundle: BundleFile,
    namespace: Namespace,
    { includeOriginals, signal }: { includeOriginals: boolean; signal: AbortSignal | undefined },
  ) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#bundle = bundle;
    this.#namespace = namespace;
    this.#includeOriginals = includeOriginals;
    this.#signal = signal;
  }

  async write(): Promise<WrittenNamespace> {
    for (const seq of await this.#snapshot.bundleDocuments({ namespaceId: this.#namespace.id })) {
      this.#signal?.throwIfAborted();
      const start = { position: this.#bundle.position, counts: { ...this.#counts } };
      let document: DocumentWithSource | undefined;
      try {
        document = await this.#readDocument(seq);
        await this.#writeDocument(document);
      } catch (error) {
        if (!(error instanceof Damage) && !isUnreadable(error)) throw error;
        await this.#skip(document, error instanceof Damage ? error.message : UNREADABLE, start);
      }
    }
    return { ...this.#counts, skipped: this.#skipped };
  }

  async #readDocument(seq: number): Promise<DocumentWithSource> {
    const [document] = await this.#snapshot.documents.list({
      namespaceId: this.#namespace.id,
      tenantId: ALL_TENANTS,
      principals: null,
      range: { after: seq - 1, direction: "asc", offset: 0, limit: 1 },
    });
    // A damaged index may have rows that the table doesn't have.
    if (document?.seq !== seq) throw new Damage(UNREADABLE);
    return document;
  }

  /** Removes what was written of a document. */
  async #skip(
    document: DocumentWithSource | undefined,
    reason: string,
    { position, counts }: { readonly position: BundlePosition; readonly counts: Counts },
  ): Promise<void> {
    await this.#bundle.cut(position);
    this.#counts = counts;
    for (const [id, number] of this.#jobNumbers) if (number >= counts.jobs) this.#jobNumbers.delete(id);
    for (const [key, number] of this.#fileNumbers) if (number >= counts.files) this.#fileNumbers.delete(key);
    const { id: documentId = null, name: documentName = null } = document ?? {};
    this.#skipped.push({ documentId, documentName, part: "document", reason });
  }

  async #writeDocument(document: DocumentWithSource): Promise<void> {
    if (!isWholeSource(document.source, document.contentHash))
      throw new Damage(`The source from which it is ingested again ${CHANGED}`);
    const job = await this.#writeJob(document.ingestJobId);
    const { item, name, fileSize, mimeType, contentHash, createdAt } = document;
    const file = await this.#writeFile(document);
    this.#counts.documents++;
    await this.#writeChecked({
      type: "document",
      job,
      item,
      name,
      nameGiven: document.nameGiven === 1,
      file,
      discoveryKey: document.foundKey,
      // Those who may see what is published. If the document is queued again, its config may allow others.
      config: withAllow(document.config, document.allow),
      source: withoutMasks(document.source),
      warnings: parseWarnings(document.warnings),
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
    const job = await this.#snapshot.jobs.get({ namespaceId: this.#namespace.id, tenantId: ALL_TENANTS, jobId });
    if (!job) throw new Damage(`Its job ${jobId} is missing.`);
    const range = { after: job.seq - 1, limit: 1, repair: false };
    const [problem] = (await this.#snapshot.check.payloads(range)).problems;
    if (problem) throw new Damage(problem.problem);
    const { tenantId, externalId, name, config, createdAt } = job;
    const payload = withoutMasks(job.payload);
    const number = this.#counts.jobs++;
    this.#jobNumbers.set(jobId, number);
    await this.#writeChecked({ type: "job", tenantId, externalId, name, config, payload, createdAt });
    return number;
  }

  /** Writes a record whose fields have no hash, if an import would accept it. */
  async #writeChecked(record: BundleRecord): Promise<void> {
    const { error } = recordSchema.safeParse(record);
    if (error) {
      const { path, message } = error.issues[0]!;
      throw new Damage(`Its ${record.type} could not be imported: ${path.join(".")}: ${message}.`);
    }
    await this.#bundle.write(record);
  }

  /** Writes the original of a document, once for all documents that share it. Returns its number. */
  async #writeFile(document: DocumentWithSource): Promise<number | null> {
    const { id: documentId, name: documentName, sourceKey: key } = document;
    if (key === null || !this.#includeOriginals) return null;
    const written = this.#fileNumbers.get(key);
    if (written !== undefined) return written;
    const { position } = this.#bundle;
    try {
      await this.#writeUpload(key, document);
      this.#fileNumbers.set(key, this.#counts.files);
      return this.#counts.files++;
    } catch (error) {
      if (!KnowledgeBaseError.is(error, "not_found") && !isUnreadable(error)) throw error;
      await this.#bundle.cut(position);
      const reason = getErrorMessage(error);
      // A document that was deleted meanwhile is exported as it was, without its file.
      const isDeleted = !(await this.#engine.storage.documents.getForDownload({ documentId }));
      if (isDeleted) this.#engine.events.warn(reason);
      else this.#skipped.push({ documentId, documentName, part: "original", reason });
      return null;
    }
  }

  async #writeUpload(key: string, { id, contentHash }: DocumentWithSource): Promise<void> {
    const upload = await openUpload(this.#engine, key, { signal: this.#signal });
    const { fileName, contentType, size } = upload;
    const sha256 = upload.sha256 ?? contentHash;
    const error = () => new KnowledgeBaseError("store_failed", `The file of the document ${id} ${CHANGED}`);
    if (sha256 === null) {
      await upload.body.cancel();
      throw error();
    }
    const body = upload.sha256 === null ? verifiedBody(upload.body, { sha256, error }) : upload.body;
    await this.#bundle.write({ type: "file", fileName, contentType, size, sha256 });
    for await (const bytes of body as AsyncIterable<Uint8Array>) {
      this.#signal?.throwIfAborted();
      for (let from = 0; from < bytes.length; from += FILE_PART_BYTES) {
        const part = Buffer.from(bytes.subarray(from, from + FILE_PART_BYTES));
        await this.#bundle.write({ type: "data", bytes: part.toString("base64") });
      }
    }
  }

  async #writeText(document: DocumentWithSource): Promise<void> {
    const { seq: documentSeq, generation } = document;
    const { documents } = this.#snapshot;
    let start = 0;
    for (;;) {
      const [part] = await documents.listTextParts({ documentSeq, generation, start, end: start + 1 });
      if (!part) break;
      const pages = start === 0 ? await documents.getPageStarts({ documentSeq, generation }) : undefined;
      if (part.isDamaged || pages === "damaged") {
        reportDamagedText(this.#engine, document);
        throw new Damage(`Its text ${CHANGED}`);
      }
      const pageStarts = pages === undefined || pages.length < 2 ? null : [...pages];
      await this.#bundle.write({ type: "text", start, text: part.text, pageStarts });
      start = part.end;
    }
    const { totalCharacters } = document;
    if (start !== totalCharacters) throw new Damage(`Its stored text has ${start} of ${totalCharacters} characters.`);
  }

  async #writeChunks(document: DocumentWithSource): Promise<void> {
    const { id: documentId, seq: documentSeq, generation, totalChunks } = document;
    for (let next = 0; next < totalChunks; ) {
      this.#signal?.throwIfAborted();
      const query = {
        documentSeq,
        generation,
        from: next,
        limit: CHUNKS_PER_QUERY,
        vectorSet: this.#namespace.vectorSet,
      };
      const chunks = await this.#snapshot.bundleChunks(query);
      for (const chunk of chunks) {
        if (chunk.ordinal !== next) break;
        if (chunk.isDamaged) {
          reportDamagedChunks(this.#engine, [{ documentId, generation, ordinal: next }]);
          throw new Damage(`Its chunk ${next + 1} ${CHANGED}`);
        }
        await this.#bundle.write(toRecord(chunk));
        next++;
      }
      if (chunks.at(-1)?.ordinal !== next - 1) throw new Damage(`Its chunk ${next + 1} is missing.`);
    }
    this.#counts.chunks += totalChunks;
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

function parseWarnings(json: string): string[] {
  try {
    return JSON.parse(json) as string[];
  } catch {
    throw new Damage(`The list of its warnings ${CHANGED}`);
  }
}

/** Removes the last characters of secrets, which masks show. */
function withoutMasks(json: string): string {
  if (!json.includes(MASK_PREFIX)) return json;
  const value: unknown = JSON.parse(json, (_, each: unknown) =>
    typeof each === "string" && each.startsWith(MASK_PREFIX) ? MASK_PREFIX : each,
  );
  return JSON.stringify(value as DocumentSource);
}
