import fc from "fast-check";
import { expect, it } from "vitest";
import { loadKernel } from "#dist/vector-scan/load-kernel.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { recordBytes } from "#dist/vector-scan/record.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { Segment } from "#dist/vector-scan/segment.js";
import { encodeSignQuery } from "#dist/vector-scan/sign-query.js";
import { randomFrom } from "../support/odd-vectors.js";
import { recordsOf, unit } from "../support/scan-records.js";

const makeKernel = loadKernel()!;

it("estimates a cosine from signs as the formula says", () => {
  const value = fc.integer({ min: -20, max: 20 });
  const vectors = fc.integer({ min: 2, max: 200 }).chain((dimensions) => {
    const vector = fc.array(value, { minLength: dimensions, maxLength: dimensions, size: "max" });
    return fc.array(
      vector.filter((values) => values.some((one) => one !== 0)),
      { minLength: 2, maxLength: 6 },
    );
  });
  fc.assert(
    fc.property(vectors, ([query, ...others]) => {
      const dimensions = query!.length;
      const encoded = encodeQuery(unit(Float32Array.from(query!)))!;
      const segment = new Segment(makeKernel, dimensions, 0);
      const records = recordsOf(others.map((values) => unit(Float32Array.from(values))));
      // In two parts: signs are made for what has come since the last search.
      segment.append(records.subarray(0, recordBytes(dimensions)), new Float64Array(1));
      estimatesOf(segment, encoded);
      segment.append(records.subarray(recordBytes(dimensions)), new Float64Array(others.length - 1));
      for (const [row, estimate] of estimatesOf(segment, encoded).entries()) {
        const values = Array.from(encoded.codes, (code) => code * encoded.factor);
        const signed = values.reduce((total, value, index) => total + (others[row]![index]! > 0 ? value : -value), 0);
        const vector = unit(Float32Array.from(others[row]!));
        const sizes = vector.reduce((total, one) => total + Math.abs(one), 0);
        // Each four dimensions are off by half a step at most, and the codes of a record by a half each.
        const fours = Array.from({ length: Math.ceil(dimensions / 4) }, (_, part) =>
          values.slice(part * 4, part * 4 + 4).reduce((total, value) => total + Math.abs(value), 0),
        );
        const off = (fours.length * Math.max(...fours)) / 127;
        expect(Math.abs(estimate - signed / sizes)).toBeLessThan((1.1 * off) / sizes + 0.02);
      }
    }),
    { numRuns: 200 },
  );
});

it.each([2080, 4096, 16_384])("adds up what %d dimensions give", (dimensions) => {
  const flat = unit(new Float32Array(dimensions).fill(1));
  const segment = new Segment(makeKernel, dimensions, 0);
  segment.append(recordsOf([flat, flat.map((value) => -value)]), new Float64Array(2));
  const [same, opposite] = estimatesOf(segment, encodeQuery(flat)!);
  expect(same).toBeCloseTo(1, 2);
  expect(opposite).toBeCloseTo(-1, 2);
});

it("finds nearly all of the nearest among many, and none that is dead", () => {
  const dimensions = 128;
  const random = randomFrom(11);
  const vectors = Array.from({ length: 40_000 }, () =>
    unit(Float32Array.from({ length: dimensions }, () => random() + random() - 1)),
  );
  const index = new ScopeIndex(makeKernel, dimensions);
  for (const [document, vector] of vectors.entries()) index.append(document, recordsOf([vector], document));
  index.remove(new Set([3]));
  let found = 0;
  for (const query of vectors.slice(0, 20)) {
    const exact = index.nearest(encodeQuery(query)!, 10, null).slice(0, 10);
    const some = new Set(index.nearestBySigns(encodeQuery(query)!, 10).map(({ chunkSeq }) => chunkSeq));
    expect(some).not.toContain(3);
    found += exact.filter(({ chunkSeq }) => some.has(chunkSeq)).length;
  }
  expect(found).toBeGreaterThan(180);
  expect(found).toBeLessThanOrEqual(200);
});

it.each([true, false])(
  "finds what lives where all that is most alike has died, searched by signs before: %s",
  (searched) => {
    const dimensions = 64;
    const random = randomFrom(12);
    const about = (sign: number) =>
      unit(Float32Array.from({ length: dimensions }, (_, at) => (at === 0 ? sign * 20 : 1) + random()));
    const index = new ScopeIndex(makeKernel, dimensions);
    // Fewer than half, so that nothing is compacted, and more than are looked at.
    for (let document = 0; document < 7000; document++)
      index.append(document, recordsOf([about(document < 3000 ? 1 : -1)], document));
    const query = encodeQuery(about(1))!;
    if (searched) index.nearestBySigns(query, 10);
    index.remove(new Set(Array.from({ length: 3000 }, (_, document) => document)));
    const found = index.nearestBySigns(query, 10).map(({ chunkSeq }) => chunkSeq);
    expect(found.length).toBeGreaterThanOrEqual(10);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(3000);
  },
);

function estimatesOf(segment: Segment, query: Parameters<typeof encodeSignQuery>[0]): readonly number[] {
  const estimates: number[] = [];
  segment.derive("signs");
  segment.scanner.scanSigns(
    encodeSignQuery(query),
    { first: 0, count: segment.rowCount, base: 0 },
    {
      threshold: Number.NEGATIVE_INFINITY,
      add: (row: number, estimate: number) => {
        estimates[row] = estimate;
      },
    },
  );
  return estimates;
}
