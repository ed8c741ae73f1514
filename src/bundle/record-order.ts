import { createHash, type Hash } from "node:crypto";
import { type BundleHeader, type BundleRecord, type ChunkRecord, type DocumentRecord, MAX_SKIPPED } from "./records.js";

/** A document whose texts and chunks are being read. */
interface OpenDocument {
  readonly record: DocumentRecord;
  chunks: number;
  /** Where the next part of the text begins. */
  textEnd: number;
}

/** A file whose bytes are being read. */
interface OpenFile {
  readonly size: number;
  readonly sha256: string;
  readonly hash: Hash;
  bytes: number;
}

/** Checks that the records of a bundle are in order and refer to what came before, and counts them. */
export class RecordOrder {
  #header: BundleHeader | null = null;
  readonly #counts = { jobs: 0, files: 0, documents: 0, chunks: 0, skipped: 0 };
  #document: OpenDocument | null = null;
  #file: OpenFile | null = null;
  #isComplete = false;

  /** Whether the last record of a bundle was added. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Where the next record belongs, for error messages. */
  get place(): string {
    const { jobs, files, documents } = this.#counts;
    if (this.#document) return `chunk ${this.#document.chunks} of document ${documents - 1}`;
    if (this.#file) return `file ${files - 1}`;
    if (documents > 0) return `after document ${documents - 1}`;
    return this.#header ? `after job ${jobs - 1}` : "header";
  }

  /** Adds a record. Returns what is wrong with it, or `null`. */
  add(record: BundleRecord): string | null {
    if (this.#isComplete) return "follows the last record";
    if ((record.type === "header") !== (this.#header === null)) return `must not be a ${record.type}`;
    if (record.type !== "data" && this.#file) {
      const problem = fileProblem(this.#file);
      if (problem) return problem;
      this.#file = null;
    }
    const belongsToDocument = record.type === "text" || record.type === "chunk";
    if (!belongsToDocument && this.#document) {
      const { record: document, chunks } = this.#document;
      if (chunks < document.chunks) return `comes before chunk ${chunks} of ${document.chunks}`;
      this.#document = null;
    }
    return this.#addChecked(record);
  }

  #addChecked(record: BundleRecord): string | null {
    const counts = this.#counts;
    switch (record.type) {
      case "header":
        this.#header = record;
        return null;
      case "job":
        counts.jobs++;
        return null;
      case "file":
        counts.files++;
        this.#file = { size: record.size, sha256: record.sha256, hash: createHash("sha256"), bytes: 0 };
        return null;
      case "data": {
        if (!this.#file) return "has bytes of no file";
        const bytes = Buffer.from(record.bytes, "base64");
        this.#file.hash.update(bytes);
        this.#file.bytes += bytes.length;
        return this.#file.bytes > this.#file.size ? "has more bytes than the file" : null;
      }
      case "document":
        if (record.job >= counts.jobs) return `refers to job ${record.job}, which is missing`;
        if (record.file !== null && record.file >= counts.files)
          return `refers to file ${record.file}, which is missing`;
        counts.documents++;
        this.#document = { record, chunks: 0, textEnd: 0 };
        return null;
      case "text":
        if (!this.#document || this.#document.chunks > 0) return "has text of no document";
        if (record.start !== this.#document.textEnd)
          return `has text from ${record.start} instead of ${this.#document.textEnd}`;
        if (record.pageStarts !== null && record.start > 0) return "has pages after the first part of the text";
        this.#document.textEnd += record.text.length;
        return record.text === "" ? "has no text" : null;
      case "chunk":
        return this.#addChunk(record);
      case "skipped":
        counts.skipped++;
        return counts.skipped > MAX_SKIPPED ? `is more than ${MAX_SKIPPED} that were skipped` : null;
      case "end": {
        const { type, ...expected } = record;
        this.#isComplete = true;
        return JSON.stringify(expected) === JSON.stringify(counts)
          ? null
          : `has other numbers than the bundle: ${JSON.stringify(expected)} instead of ${JSON.stringify(counts)}`;
      }
    }
  }

  #addChunk(chunk: ChunkRecord): string | null {
    const document = this.#document;
    if (!document || document.chunks >= document.record.chunks) return "is a chunk of no document";
    if (chunk.ordinal !== document.chunks) return `is chunk ${chunk.ordinal} instead of ${document.chunks}`;
    const problem = chunk.vector === null ? null : vectorProblem(chunk.vector, this.#header!.embedder.dimensions);
    if (problem) return problem;
    document.chunks++;
    this.#counts.chunks++;
    return null;
  }
}

function fileProblem({ bytes, size, sha256, hash }: OpenFile): string | null {
  if (bytes < size) return `comes before byte ${bytes} of a file of ${size} bytes`;
  return hash.digest("hex") === sha256 ? null : "follows a file whose SHA-256 differs";
}

function vectorProblem(base64: string, dimensions: number): string | null {
  const vector = decodeVector(base64);
  if (vector.length !== dimensions) return `has a vector of ${vector.length} dimensions instead of ${dimensions}`;
  return vector.every(Number.isFinite) ? null : "has a vector with a value that is not finite";
}

/** Decodes a vector, see {@link ChunkRecord}. */
export function decodeVector(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  const whole = Math.floor(bytes.length / 4);
  // Copied, since the bytes may not be aligned to four.
  return new Float32Array(Uint8Array.from(bytes.subarray(0, whole * 4)).buffer);
}
