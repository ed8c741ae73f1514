import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isDiskFull, storageFullError } from "../../domain/storage-full.js";
import { KnowledgeBaseError } from "../../errors.js";
import { recordBytes } from "../../vector-scan/record.js";

// A record file consists of a header, runs (three f64 each) and, aligned to 4096 bytes, the records as they are in
// memory. It is written once, under a unique name, and never changes.

/** The magic bytes, which include the version of the format. */
const MAGIC = "LBRECS02";
const NAME_BYTES = 32;
const COUNTS_OFFSET = MAGIC.length + NAME_BYTES;
/** The size of the header, a multiple of eight. */
const HEADER_BYTES = COUNTS_OFFSET + 16;
/** The numbers stored for a run: its document, generation and number of records. */
export const NUMBERS_PER_RUN = 3;
const ALIGNMENT = 4096;

/** Consecutive records of one generation of a document. */
export interface RecordRun {
  /** The document's sequence number. */
  readonly document: number;
  readonly generation: number;
  /** The number of records. */
  readonly count: number;
}

/** An open record file, which the caller must close. */
export interface RecordFile {
  readonly name: string;
  readonly descriptor: number;
  /** The number of records. */
  readonly records: number;
  /** {@link NUMBERS_PER_RUN} numbers for each run, in the order of the records. */
  readonly runs: Float64Array;
  /** The offset of the records in the file. */
  readonly recordsOffset: number;
  /** The size of all records. */
  readonly bytes: number;
}

/** What the database lists about a file. */
interface ExpectedFile {
  readonly name: string;
  readonly dimensions: number;
  readonly records: number;
}

interface RecordFileContent {
  /** 32 ASCII characters. */
  readonly name: string;
  readonly dimensions: number;
  readonly runs: readonly RecordRun[];
  /** In the order of the runs. */
  readonly records: readonly Uint8Array[];
}

/**
 * Writes a new file, creating its folder if needed, and flushes it to disk. Returns the file's size in bytes. Leaves no
 * file on failure.
 *
 * @throws KnowledgeBaseError `storage_full`, or `store_failed` for another reason
 */
export function writeRecordFile(path: string, { name, dimensions, runs, records }: RecordFileContent): number {
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  const header = Buffer.alloc(offsetOfRecords(runs.length));
  header.write(MAGIC + name, "latin1");
  header.writeUInt32LE(dimensions, COUNTS_OFFSET);
  header.writeUInt32LE(count, COUNTS_OFFSET + 4);
  header.writeUInt32LE(runs.length, COUNTS_OFFSET + 8);
  for (const [index, run] of runs.entries())
    for (const [field, value] of [run.document, run.generation, run.count].entries())
      header.writeDoubleLE(value, HEADER_BYTES + (index * NUMBERS_PER_RUN + field) * 8);
  let descriptor: number | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    descriptor = openSync(path, "wx", 0o600);
    for (const part of [header, ...records]) writeFully(descriptor, part);
    fsyncSync(descriptor);
    return fstatSync(descriptor).size;
  } catch (cause) {
    if (descriptor !== undefined) rmSync(path, { force: true });
    if (isDiskFull(cause)) throw storageFullError("database", cause);
    throw new KnowledgeBaseError(
      "store_failed",
      `The vector file ${path} could not be written. Check the disk's free space and permissions.`,
      {
        cause,
        retryable: true,
      },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Opens a file. Returns `null` if the file is missing, can't be opened or is invalid: a copy of the directory may lack
 * the file or have a part of it, and the records can be computed again.
 */
export function openRecordFile(path: string, expected: ExpectedFile): RecordFile | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const file = readHeader(descriptor, expected);
    if (file) return file;
  } catch {
    // Invalid, like a file that can't be opened.
  }
  closeSync(descriptor);
  return null;
}

/**
 * Fills `target` with the bytes of a file that begin at `offset`.
 * @throws Error if the file ends before `target` is full
 */
export function readFully(descriptor: number, target: Uint8Array, offset: number): void {
  for (let done = 0; done < target.length; ) {
    const read = readSync(descriptor, target, done, target.length - done, offset + done);
    if (read === 0) throw new Error("The vector file is truncated: it ends before its last record.");
    done += read;
  }
}

function readHeader(descriptor: number, expected: ExpectedFile): RecordFile | null {
  const { size } = fstatSync(descriptor);
  if (size < HEADER_BYTES) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  readFully(descriptor, header, 0);
  if (header.toString("latin1", 0, COUNTS_OFFSET) !== MAGIC + expected.name) return null;
  const [dimensions, records, runs] = [0, 4, 8].map((offset) => header.readUInt32LE(COUNTS_OFFSET + offset)) as [
    number,
    number,
    number,
  ];
  const recordsOffset = offsetOfRecords(runs);
  const bytes = records * recordBytes(dimensions);
  if (dimensions !== expected.dimensions || records !== expected.records || size !== recordsOffset + bytes) return null;
  const numbers = new Float64Array(runs * NUMBERS_PER_RUN);
  readFully(descriptor, new Uint8Array(numbers.buffer), HEADER_BYTES);
  let sum = 0;
  for (let index = NUMBERS_PER_RUN - 1; index < numbers.length; index += NUMBERS_PER_RUN) sum += numbers[index]!;
  return sum === records ? { name: expected.name, descriptor, runs: numbers, records, recordsOffset, bytes } : null;
}

function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

function offsetOfRecords(runs: number): number {
  return Math.ceil((HEADER_BYTES + runs * NUMBERS_PER_RUN * 8) / ALIGNMENT) * ALIGNMENT;
}
