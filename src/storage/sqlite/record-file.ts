import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { KnowledgeBaseError } from "../../errors.js";
import { recordBytes } from "../../vector-scan/record.js";

// A file of records: a header, the runs (three f64 each), and, aligned to 4096 bytes, the records as they are in
// memory. It is written once, under a unique name, and never changes.

const MARK = "LBRECS02";
const NAME_AT = MARK.length;
const NAME_BYTES = 32;
const NUMBERS_AT = NAME_AT + NAME_BYTES;
/** The size of the header, a multiple of eight. */
const HEAD = NUMBERS_AT + 16;
/** A run's document, generation and number of records. */
export const RUN_NUMBERS = 3;
const ALIGNMENT = 4096;

/** Consecutive records of one generation of a document. */
export interface RecordRun {
  readonly document: number;
  readonly generation: number;
  readonly count: number;
}

/** An open file. The caller closes it. */
export interface RecordFile {
  readonly name: string;
  readonly descriptor: number;
  /** The number of records. */
  readonly records: number;
  /** {@link RUN_NUMBERS} of each run, in the order of its records. */
  readonly runs: Float64Array;
  /** The offset of its records. */
  readonly recordsAt: number;
  /** The bytes of all records. */
  readonly bytes: number;
}

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
 * Writes a new file, and its folder if it is missing, and flushes it to disk. Leaves no file on failure. Returns the bytes of the file.
 *
 * @throws KnowledgeBaseError `store_failed`, for example if the disk is full
 */
export function writeRecordFile(path: string, { name, dimensions, runs, records }: RecordFileContent): number {
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  const head = Buffer.alloc(recordsFrom(runs.length));
  head.write(MARK + name, "latin1");
  head.writeUInt32LE(dimensions, NUMBERS_AT);
  head.writeUInt32LE(count, NUMBERS_AT + 4);
  head.writeUInt32LE(runs.length, NUMBERS_AT + 8);
  for (const [index, run] of runs.entries())
    for (const [place, value] of [run.document, run.generation, run.count].entries())
      head.writeDoubleLE(value, HEAD + (index * RUN_NUMBERS + place) * 8);
  let descriptor: number | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    descriptor = openSync(path, "wx", 0o600);
    for (const part of [head, ...records]) writeWhole(descriptor, part);
    fsyncSync(descriptor);
    return fstatSync(descriptor).size;
  } catch (cause) {
    if (descriptor !== undefined) rmSync(path, { force: true });
    throw new KnowledgeBaseError("store_failed", `A file of vectors could not be written: ${path}`, {
      cause,
      retryable: true,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * `null` if the file is missing, can't be opened or is invalid: a copy of the directory may lack it or have a truncated
 * one, and its records can be computed again.
 */
export function openRecordFile(path: string, expected: ExpectedFile): RecordFile | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const file = readHead(descriptor, expected);
    if (file) return file;
  } catch {
    // As above.
  }
  closeSync(descriptor);
  return null;
}

/** Reads bytes of a file into memory. @throws Error if the file is shorter */
export function readWhole(descriptor: number, target: Uint8Array, from: number): void {
  for (let at = 0; at < target.length; ) {
    const read = readSync(descriptor, target, at, target.length - at, from + at);
    if (read === 0) throw new Error("A file of vectors ends before its records do.");
    at += read;
  }
}

function readHead(descriptor: number, expected: ExpectedFile): RecordFile | null {
  const { size } = fstatSync(descriptor);
  if (size < HEAD) return null;
  const head = Buffer.alloc(HEAD);
  readWhole(descriptor, head, 0);
  if (head.toString("latin1", 0, NUMBERS_AT) !== MARK + expected.name) return null;
  const [dimensions, records, runs] = [0, 4, 8].map((at) => head.readUInt32LE(NUMBERS_AT + at)) as [
    number,
    number,
    number,
  ];
  const recordsAt = recordsFrom(runs);
  const bytes = records * recordBytes(dimensions);
  if (dimensions !== expected.dimensions || records !== expected.records || size !== recordsAt + bytes) return null;
  const numbers = new Float64Array(runs * RUN_NUMBERS);
  readWhole(descriptor, new Uint8Array(numbers.buffer), HEAD);
  let counted = 0;
  for (let at = RUN_NUMBERS - 1; at < numbers.length; at += RUN_NUMBERS) counted += numbers[at]!;
  return counted === records ? { name: expected.name, descriptor, runs: numbers, records, recordsAt, bytes } : null;
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

function recordsFrom(runs: number): number {
  return Math.ceil((HEAD + runs * RUN_NUMBERS * 8) / ALIGNMENT) * ALIGNMENT;
}
