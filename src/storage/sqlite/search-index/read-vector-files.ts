import { closeSync } from "node:fs";
import type { RecordPlace, ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { RecordsToRead } from "../read-records.js";
import { openRecordFile, type RecordFile, readRuns } from "../record-file.js";
import type { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import { vectorFilePath } from "./vector-files.js";

/** The open files of a scope. */
export class VectorFiles {
  readonly #files: readonly RecordFile[];

  private constructor(files: readonly RecordFile[]) {
    this.#files = files;
  }

  static open(db: Statements, scopeId: number, dimensions: number): VectorFiles {
    const listed = db.column<string>(
      "SELECT name FROM vector_files WHERE scope_id = ? AND dimensions = ? AND dead < records",
      scopeId,
      dimensions,
    );
    const files = listed.flatMap((name) => {
      const path = vectorFilePath(db, name);
      return (path === null ? null : openRecordFile(path, { name, dimensions })) ?? [];
    });
    return new VectorFiles(files);
  }

  /** The bytes of all records, including dead ones. */
  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Reads all records into an empty index, together with helper threads, and removes those of other generations.
   * Returns false, with an empty index, if a file can't be read.
   *
   * @param wanted Determines the wanted generations while the helpers read.
   */
  read(index: ScopeIndex, threads: ScanThreads, wanted: () => ReadonlyMap<number, number>): boolean {
    const count = this.#files.reduce((sum, { records }) => sum + records, 0);
    const parts = partsOf(this.#files, index.expect(count));
    const whole = threads.read(parts, () => {
      const published = wanted();
      let from = 0;
      for (const file of this.#files) {
        for (const { document, generation, count } of readRuns(file)) {
          index.own(from, count, published.get(document) === generation ? { document, generation } : null);
          from += count;
        }
      }
    });
    if (whole) index.settle();
    else index.clear();
    return whole;
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }
}

/**
 * Maps the records of files, one file after another, to consecutive places in memory. What is contiguous in both is one
 * part.
 */
function partsOf(files: readonly RecordFile[], places: readonly RecordPlace[]): readonly RecordsToRead[] {
  const parts: RecordsToRead[] = [];
  let place = 0;
  let filled = 0;
  for (const { descriptor, recordsAt, bytes } of files) {
    for (let read = 0; read < bytes; ) {
      const { memory, at, bytes: room } = places[place]!;
      const some = Math.min(bytes - read, room - filled);
      parts.push({ descriptor, from: recordsAt + read, bytes: some, memory, to: at + filled });
      read += some;
      filled += some;
      if (filled === room) [place, filled] = [place + 1, 0];
    }
  }
  return parts;
}
