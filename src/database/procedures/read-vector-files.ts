import { closeSync } from "node:fs";
import { recordBytes } from "../../scan/record.js";
import type { ExpectedRecords, ScopeIndex } from "../../scan/scope-index.js";
import type { RecordsToRead } from "../sqlite/read-records.js";
import { openRecordFile, type RecordFile } from "../sqlite/record-file.js";
import type { ScanThreads } from "../sqlite/scan-crew.js";
import type { Statements } from "../sqlite/statements.js";
import { vectorFilePath } from "./vector-files.js";

/** The files of a scope that are there, open. */
export class VectorFiles {
  readonly #files: readonly RecordFile[];
  readonly #dimensions: number;

  private constructor(files: readonly RecordFile[], dimensions: number) {
    this.#files = files;
    this.#dimensions = dimensions;
  }

  static open(db: Statements, scopeId: number, dimensions: number): VectorFiles {
    const listed = db.column<string>(
      "SELECT name FROM vector_files WHERE scope_id = ? AND dimensions = ?",
      scopeId,
      dimensions,
    );
    const files = listed.flatMap((name) => {
      const path = vectorFilePath(db, name);
      return (path === null ? null : openRecordFile(path, { name, dimensions })) ?? [];
    });
    return new VectorFiles(files, dimensions);
  }

  /** Of all records, those of no use included. */
  get bytes(): number {
    return this.#files.reduce((sum, { records }) => sum + records, 0) * recordBytes(this.#dimensions);
  }

  /**
   * Reads all records into an empty index, with other threads, and leaves those of generations that are wanted. Returns the blocks that
   * they are of; none, and the index empty, where a file can't be read.
   */
  read(
    db: Statements,
    { index, wanted, crew }: { index: ScopeIndex; wanted: ReadonlyMap<number, number>; crew: ScanThreads },
  ): readonly number[] {
    const blocks = new Set<number>();
    const parts = this.#files.flatMap((file) => {
      const standing = standingBlocks(db, file);
      for (const block of standing) blocks.add(block);
      const runs = file.runs.map(({ block, document, generation, count }): ExpectedRecords => {
        const wants = standing.has(block) && wanted.get(document) === generation;
        return { of: wants ? { document, generation } : null, count };
      });
      return partsOf(file, index, runs);
    });
    if (crew.read(parts)) {
      index.settle();
      return [...blocks];
    }
    index.clear();
    return [];
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }
}

/** The blocks of a file that have not been broken up since. */
function standingBlocks(db: Statements, { name }: RecordFile): ReadonlySet<number> {
  return new Set(db.column<number>("SELECT block_seq FROM vector_file_blocks WHERE file = ?", name));
}

function partsOf(
  { descriptor, recordsAt }: RecordFile,
  index: ScopeIndex,
  runs: readonly ExpectedRecords[],
): readonly RecordsToRead[] {
  let from = recordsAt;
  return index.expect(runs).map(({ memory, at: to, bytes }) => {
    const part = { descriptor, from, bytes, memory, to };
    from += bytes;
    return part;
  });
}
