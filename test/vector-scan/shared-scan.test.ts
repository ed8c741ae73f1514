import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { ScanThreads } from "#dist/storage/sqlite/scan-helpers.js";
import { loadKernel } from "#dist/vector-scan/load-kernel.js";
import type { Candidate } from "#dist/vector-scan/nearest-bounds.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { SharedScan } from "#dist/vector-scan/shared-scan.js";
import { randomFrom } from "../support/odd-vectors.js";
import { recordsOf, unit } from "../support/scan-records.js";

const DIMENSIONS = 128;
/** More than a segment has. */
const ROWS = 40_000;
/** Where a scan counts who has joined it. */
const MEMBERS = 1;
const makeKernel = loadKernel()!;
const random = randomFrom(5);
const vectors = Array.from({ length: ROWS }, () =>
  unit(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)),
);
const queries = vectors.slice(0, 40).map((vector) => encodeQuery(vector)!);

afterEach(() => void vi.restoreAllMocks());

/** What others find for whoever owns a scan, who takes no part of it and waits a moment for somebody to join. */
async function foundByOthers(find: () => readonly Candidate[]): Promise<readonly Candidate[]> {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  const parts = vi.spyOn(SharedScan.prototype, "claimPart").mockImplementation(function (this: SharedScan) {
    const shared = new Int32Array(this.buffer);
    for (let tries = 0; tries < 20 && Atomics.load(shared, MEMBERS) === 0; tries++) Atomics.wait(moment, 0, 0, 1);
    return Number.POSITIVE_INFINITY;
  });
  let found = find();
  // A thread needs a turn of the event loop to start.
  for (; found.length === 0; found = find()) await setImmediate();
  parts.mockRestore();
  return found;
}

function indexOf(helpers: ScanThreads | null, rows = ROWS): ScopeIndex {
  const index = new ScopeIndex(makeKernel, DIMENSIONS, 0, helpers);
  for (let row = 0; row < rows; row += 1000) index.append(row, recordsOf(vectors.slice(row, row + 1000), row));
  return index;
}

it("finds with other threads what one alone finds, whatever was added and removed in between", () => {
  const helpers = new ScanThreads(2, 0);
  const [shared, alone] = [indexOf(helpers, 30_000), indexOf(null, 30_000)];
  const compare = () => {
    for (const query of queries) {
      expect(shared.nearest(query, 10, null)).toEqual(alone.nearest(query, 10, null));
      expect(shared.nearestBySigns(query, 10)).toEqual(alone.nearestBySigns(query, 10));
    }
  };
  compare();
  for (const index of [shared, alone]) index.derive("sq4", 2 ** 30);
  compare();
  for (const index of [shared, alone]) index.append(30_000, recordsOf(vectors.slice(30_000), 30_000));
  compare();
  for (const index of [shared, alone]) index.remove(new Set(Array.from({ length: 20 }, (_, at) => at * 1000)));
  compare();
  helpers.forget();
  compare();
});

it("has another thread scan all that it takes, and learn of what is new", async () => {
  const helpers = new ScanThreads(1, 0);
  const [shared, alone] = [indexOf(helpers, 30_000), indexOf(null, 30_000)];
  const [query] = queries;
  const compare = async () => {
    const expected = alone.nearest(query!, 10, null);
    expect(await foundByOthers(() => shared.nearest(query!, 10, null))).toEqual(expected);
  };
  await compare();
  for (const index of [shared, alone]) index.derive("sq4", 2 ** 30);
  await compare();
  for (const index of [shared, alone]) index.append(30_000, recordsOf(vectors.slice(30_000), 30_000));
  await compare();
  for (const index of [shared, alone]) index.remove(new Set([0, 1000]));
  await compare();
  const bySigns = alone.nearestBySigns(query!, 10);
  expect(await foundByOthers(() => shared.nearestBySigns(query!, 10))).toEqual(bySigns);
});

it("scans alone where the others cannot", () => {
  const helpers = new ScanThreads(1, 0);
  const [shared, alone] = [indexOf(helpers), indexOf(null)];
  const [query] = queries;
  const expected = alone.nearest(query!, 10, null);
  const closing = vi.spyOn(SharedScan.prototype, "close").mockReturnValue(false);
  expect(shared.nearest(query!, 10, null)).toEqual(expected);
  expect(shared.nearest(query!, 10, null)).toEqual(expected);
  expect(closing).toHaveBeenCalledTimes(1);
});

it("waits for whoever has joined, tells who failed, and lets nobody in any more", () => {
  const scan = new SharedScan();
  const other = new SharedScan(scan.buffer);
  expect([scan.claimPart(), other.claimPart(), scan.claimPart()]).toEqual([0, 1, 2]);
  expect(other.join()).toBe(true);
  expect(scan.close(1)).toBe(false);
  other.leave();
  expect(scan.close(1)).toBe(true);
  expect(other.join()).toBe(false);
  expect(scan.close(1)).toBe(true);

  const broken = new SharedScan();
  expect(broken.join()).toBe(true);
  broken.fail();
  broken.leave();
  expect(broken.close(1)).toBe(false);
});
