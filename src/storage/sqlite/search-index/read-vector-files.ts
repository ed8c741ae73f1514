import { closeSync } from "node:fs";
import { recordBytes } from "../../../vector-scan/record.js";
import type { RecordLocation, ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { ReadRequest } from "../read-records.js";
import { NUMBERS_PER_RUN, openRecordFile, type RecordFile } from "../record-file.js";
import type { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import type { SearchedScope } from "./find-scope.js";
import { PublishedDocuments } from "./published-documents.js";
import { vectorFilePath } from "./vector-files.js";

/** The maximum number of files that are open at the same time. */
const MAX_OPEN_FILES = 128;

interface ListedFile {
  readonly name: string;
  /** The number of records. */
  readonly records: number;
}

interface ReadOptions {
  readonly threads: ScanThreads;
  /** The maximum size of all records to read. */
  readonly maxBytes: number;
}

/**
 * Reads the files of a scope into an empty index, together with helper threads, and keeps the records of published
 * generations. Skips files that can't be opened. If an open file can't be read, leaves the index empty. Returns the
 * published documents that are not in the index.
 */
export function readVectorFiles(
  db: Statements,
  { id: scopeId, vector_set: vectorSet }: Pick<SearchedScope, "id" | "vector_set">,
  index: ScopeIndex,
  { threads, maxBytes }: ReadOptions,
): number[] {
  const { dimensions } = index;
  const files = fittingFiles(db, { scopeId, vectorSet, dimensions }, maxBytes);
  const target = new ReadTarget(index.reserve(files.reduce((sum, { records }) => sum + records, 0)));
  let published: PublishedDocuments | undefined;
  let row = 0;
  for (let from = 0; from < files.length; from += MAX_OPEN_FILES) {
    const group = files.slice(from, from + MAX_OPEN_FILES).map(({ name, records }) => {
      const file = openRecordFile(vectorFilePath(db, name)!, { name, dimensions, records });
      return { records, file };
    });
    try {
      const parts = group.flatMap(({ records, file }) => target.take(records * recordBytes(dimensions), file));
      const assignGroup = () => {
        published ??= new PublishedDocuments(db, scopeId);
        for (const { records, file } of group) {
          if (file) assignRuns(index, row, file.runs, published);
          else index.discard(row, records);
          row += records;
        }
      };
      if (!threads.read(parts, assignGroup)) {
        index.clear();
        return new PublishedDocuments(db, scopeId).remaining();
      }
    } finally {
      for (const { file } of group) if (file) closeSync(file.descriptor);
    }
  }
  index.removeDiscarded();
  return (published ?? new PublishedDocuments(db, scopeId)).remaining();
}

/** Keeps the records of published generations. Takes runs as numbers, since there are too many for objects. */
function assignRuns(index: ScopeIndex, from: number, runs: Float64Array, published: PublishedDocuments): void {
  for (let run = 0, row = from; run < runs.length; run += NUMBERS_PER_RUN) {
    const [document, generation, count] = [runs[run]!, runs[run + 1]!, runs[run + 2]!];
    if (published.take(document, generation)) index.setDocument(row, count, document);
    else index.discard(row, count);
    row += count;
  }
}

/** Returns the files that fit in `maxBytes`, starting with the smallest share of dead records. */
function fittingFiles(
  db: Statements,
  wanted: { readonly scopeId: number; readonly vectorSet: number; readonly dimensions: number },
  maxBytes: number,
): readonly ListedFile[] {
  const { scopeId, vectorSet, dimensions } = wanted;
  const files = db.all<ListedFile>(
    `SELECT name, records FROM vector_files WHERE scope_id = ? AND vector_set = ? AND dimensions = ?
     ORDER BY 1.0 * dead / records, id`,
    ...[scopeId, vectorSet, dimensions],
  );
  let remaining = maxBytes;
  return files.filter(({ records }) => {
    remaining -= records * recordBytes(dimensions);
    return remaining >= 0;
  });
}

/** Memory to be filled with the records of one file after another. */
class ReadTarget {
  readonly #regions: readonly RecordLocation[];
  #region = 0;
  #filled = 0;

  constructor(regions: readonly RecordLocation[]) {
    this.#regions = regions;
  }

  /** Assigns the next bytes to a file, or skips them if it is `null`. Each part is contiguous in file and memory. */
  take(bytes: number, file: RecordFile | null): readonly ReadRequest[] {
    const parts: ReadRequest[] = [];
    for (let read = 0; read < bytes; ) {
      const { memory, at, bytes: size } = this.#regions[this.#region]!;
      const length = Math.min(bytes - read, size - this.#filled);
      if (file) {
        const fileOffset = file.recordsOffset + read;
        const memoryOffset = at + this.#filled;
        parts.push({ descriptor: file.descriptor, fileOffset, bytes: length, memory, memoryOffset });
      }
      read += length;
      this.#filled += length;
      if (this.#filled === size) [this.#region, this.#filled] = [this.#region + 1, 0];
    }
    return parts;
  }
}
