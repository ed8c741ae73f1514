import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRecordFile, readFully, writeRecordFile } from "#dist/storage/sqlite/record-file.js";
import { recordBytes } from "#dist/vector-scan/record.js";
import { failureOf } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const NAME = "0123456789abcdef0123456789abcdef";
const DIMENSIONS = 20;
const RUNS = [
  { document: 1, generation: 1, count: 2 },
  { document: 2 ** 40, generation: 3, count: 1 },
  { document: 4, generation: 1, count: 2 },
];
const RECORDS = [3, 2].map((count, index) => new Uint8Array(count * recordBytes(DIMENSIONS)).fill(index + 1));

function written(): string {
  const path = join(temporaryDirectory(), NAME);
  writeRecordFile(path, { name: NAME, dimensions: DIMENSIONS, runs: RUNS, records: RECORDS });
  return path;
}

it("is read as it was written", () => {
  const file = openRecordFile(written(), { name: NAME, dimensions: DIMENSIONS, records: 5 })!;
  expect([file.records, file.bytes]).toEqual([5, 5 * recordBytes(DIMENSIONS)]);
  expect([...file.runs]).toEqual(RUNS.flatMap(({ document, generation, count }) => [document, generation, count]));
  const records = new Uint8Array(file.bytes);
  readFully(file.descriptor, records, file.recordsOffset);
  expect(Buffer.from(records).equals(Buffer.concat(RECORDS))).toBe(true);
  expect(() => readFully(file.descriptor, records, file.recordsOffset + 1)).toThrow(/ends before/);
});

it("is not accepted if it is missing, truncated or another file", () => {
  const path = written();
  const open = (name = NAME, dimensions = DIMENSIONS, records = 5) =>
    openRecordFile(path, { name, dimensions, records });
  expect(open(NAME.toUpperCase())).toBeNull();
  expect(open(NAME, DIMENSIONS + 16)).toBeNull();
  expect(open(NAME, DIMENSIONS, 4)).toBeNull();
  const content = readFileSync(path);
  for (const bytes of [content.length - 1, 100, 10, 0]) {
    truncateSync(path, bytes);
    expect(open()).toBeNull();
    writeFileSync(path, content);
  }
  expect(open()).not.toBeNull();
  expect(openRecordFile(`${path}0`, { name: NAME, dimensions: DIMENSIONS, records: 5 })).toBeNull();
});

it("does not remain after a failed write", async () => {
  const occupied = join(temporaryDirectory(), "occupied");
  writeFileSync(occupied, "");
  const path = join(occupied, NAME);
  const write = () => writeRecordFile(path, { name: NAME, dimensions: DIMENSIONS, runs: RUNS, records: RECORDS });
  expect(await failureOf(write)).toMatchObject({ code: "store_failed", retryable: true });
  const half = join(temporaryDirectory(), NAME);
  const records = [RECORDS[0]!, null as unknown as Uint8Array];
  expect(
    await failureOf(() => writeRecordFile(half, { name: NAME, dimensions: DIMENSIONS, runs: RUNS, records })),
  ).toMatchObject({ code: "store_failed" });
  expect(existsSync(half)).toBe(false);
});
