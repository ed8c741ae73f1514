import { closeSync } from "node:fs";
import { recordBytes } from "../../../vector-scan/record.js";
import type { RecordPlace, ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { RecordsToRead } from "../read-records.js";
import { openRecordFile, type RecordFile } from "../record-file.js";
import type { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
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
  /** Determines the wanted generation of each document. First called while the helper threads read. */
  wanted(): ReadonlyMap<number, number>;
}

/**
 * Reads the files of a scope into an empty index, together with helper threads, and keeps the records of the wanted
 * generations. Files that can't be opened are skipped; if one can't be read, the index stays empty.
 */
export function readVectorFiles(
  db: Statements,
  scopeId: number,
  index: ScopeIndex,
  { threads, maxBytes, wanted }: ReadOptions,
): void {
  const { dimensions } = index;
  const files = fittingFiles(db, scopeId, dimensions, maxBytes);
  const places = new Places(index.expect(files.reduce((sum, { records }) => sum + records, 0)));
  let row = 0;
  for (let from = 0; from < files.length; from += MAX_OPEN_FILES) {
    const group = files.slice(from, from + MAX_OPEN_FILES).map(({ name, records }) => {
      const file = openRecordFile(vectorFilePath(db, name)!, { name, dimensions, records });
      return { records, file };
    });
    try {
      const parts = group.flatMap(({ records, file }) => places.take(records * recordBytes(dimensions), file));
      const own = () => {
        const published = wanted();
        for (const { records, file } of group) {
          if (!file) index.own(row, records, null);
          let at = row;
          for (const { document, generation, count } of file?.runs ?? []) {
            index.own(at, count, published.get(document) === generation ? { document, generation } : null);
            at += count;
          }
          row += records;
        }
      };
      if (!threads.read(parts, own)) {
        index.clear();
        return;
      }
    } finally {
      for (const { file } of group) if (file) closeSync(file.descriptor);
    }
  }
  index.settle();
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
  readonly #places: readonly RecordPlace[];
  #place = 0;
  #filled = 0;

  constructor(places: readonly RecordPlace[]) {
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
