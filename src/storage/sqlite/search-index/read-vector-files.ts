import { closeSync } from "node:fs";
import { recordBytes } from "../../../vector-scan/record.js";
import type { RecordLocation, ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { RecordsToRead } from "../read-records.js";
import { openRecordFile, type RecordFile, RUN_NUMBERS } from "../record-file.js";
import type { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import { PublishedDocuments } from "./published-documents.js";
import { vectorFilePath } from "./vector-files.js";

/** Files that are open at the same time. */
const MAX_OPEN_FILES = 128;

interface ListedFile {
  readonly name: string;
  readonly records: number;
}

interface ReadOptions {
  readonly threads: ScanThreads;
  /** Files with more records in total are not read. */
  readonly maxBytes: number;
}

/**
 * Reads the files of a scope into an empty index, together with helper threads, and keeps the records of published
 * generations. Files that can't be opened are skipped; if one can't be read, the index stays empty. Returns the
 * published documents that are not in the index.
 */
export function readVectorFiles(
  db: Statements,
  scopeId: number,
  index: ScopeIndex,
  { threads, maxBytes }: ReadOptions,
): number[] {
  const { dimensions } = index;
  const files = fittingFiles(db, scopeId, dimensions, maxBytes);
  const places = new Places(index.reserve(files.reduce((sum, { records }) => sum + records, 0)));
  let published: PublishedDocuments | undefined;
  let row = 0;
  for (let from = 0; from < files.length; from += MAX_OPEN_FILES) {
    const group = files.slice(from, from + MAX_OPEN_FILES).map(({ name, records }) => {
      const file = openRecordFile(vectorFilePath(db, name)!, { name, dimensions, records });
      return { records, file };
    });
    try {
      const parts = group.flatMap(({ records, file }) => places.take(records * recordBytes(dimensions), file));
      const own = () => {
        published ??= new PublishedDocuments(db, scopeId);
        for (const { records, file } of group) {
          if (file) ownRuns(index, row, file.runs, published);
          else index.discard(row, records);
          row += records;
        }
      };
      if (!threads.read(parts, own)) {
        index.clear();
        return new PublishedDocuments(db, scopeId).left();
      }
    } finally {
      for (const { file } of group) if (file) closeSync(file.descriptor);
    }
  }
  index.removeDiscarded();
  return (published ?? new PublishedDocuments(db, scopeId)).left();
}

/** Keeps the records of published generations. There are too many runs to make each an object. */
function ownRuns(index: ScopeIndex, from: number, runs: Float64Array, published: PublishedDocuments): void {
  for (let run = 0, row = from; run < runs.length; run += RUN_NUMBERS) {
    const [document, generation, count] = [runs[run]!, runs[run + 1]!, runs[run + 2]!];
    if (published.take(document, generation)) index.setDocument(row, count, document);
    else index.discard(row, count);
    row += count;
  }
}

/** Those with the fewest dead records first, as many as fit. */
function fittingFiles(db: Statements, scopeId: number, dimensions: number, maxBytes: number): readonly ListedFile[] {
  const files = db.all<ListedFile>(
    "SELECT name, records FROM vector_files WHERE scope_id = ? AND dimensions = ? ORDER BY 1.0 * dead / records, id",
    scopeId,
    dimensions,
  );
  let left = maxBytes;
  return files.filter(({ records }) => {
    left -= records * recordBytes(dimensions);
    return left >= 0;
  });
}

/** Consecutive places in memory that are filled one file after another. */
class Places {
  readonly #places: readonly RecordLocation[];
  #place = 0;
  #filled = 0;

  constructor(places: readonly RecordLocation[]) {
    this.#places = places;
  }

  /** Maps the next bytes to the records of a file, or to none. What is contiguous in both is one part. */
  take(bytes: number, file: RecordFile | null): readonly RecordsToRead[] {
    const parts: RecordsToRead[] = [];
    for (let read = 0; read < bytes; ) {
      const { memory, at, bytes: size } = this.#places[this.#place]!;
      const some = Math.min(bytes - read, size - this.#filled);
      if (file) {
        const from = file.recordsAt + read;
        parts.push({ descriptor: file.descriptor, from, bytes: some, memory, to: at + this.#filled });
      }
      read += some;
      this.#filled += some;
      if (this.#filled === size) [this.#place, this.#filled] = [this.#place + 1, 0];
    }
    return parts;
  }
}
