import fc from "fast-check";
import { expect, it } from "vitest";
import { NearestBounds } from "#dist/vector-scan/nearest-bounds.js";
import { propertyRuns } from "../support/property-runs.js";

/** Halves, quarters and eighths: exact sums, and many of them equal. */
const eighths = (min: number, max: number) => fc.integer({ min: min * 8, max: max * 8 }).map((value) => value / 8);
const record = fc.record({
  cosine: eighths(-1, 1),
  error: fc.oneof(eighths(0, 1), fc.constant(Number.POSITIVE_INFINITY)),
  up: fc.boolean(),
});

it("keeps the nearest, however wrong estimates are within their errors", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 80 }), fc.integer({ min: 1, max: 10 }), (records, limit) => {
      const bounds = new NearestBounds(limit);
      for (const [seq, { cosine, error, up }] of records.entries()) {
        const wrong = Number.isFinite(error) ? error : 0;
        const estimate = up ? cosine + wrong : cosine - wrong;
        // What cannot reach the threshold is never told to it.
        if (estimate + error >= bounds.threshold) bounds.add(seq, estimate, error);
      }
      const nearest = records
        .map(({ cosine }, seq) => ({ cosine, seq }))
        .sort((a, b) => b.cosine - a.cosine || a.seq - b.seq)
        .slice(0, limit);
      const kept = bounds.candidates().map(({ chunkSeq }) => chunkSeq);
      for (const { seq } of nearest) expect(kept).toContain(seq);
    }),
    { numRuns: propertyRuns(300) },
  );
});

it("gives the best estimates first, equal ones in the order of insertion", () => {
  const bounds = new NearestBounds(3);
  for (const [seq, estimate] of [0.5, 0.9, 0.5, 0.7, 0.1].entries()) bounds.add(seq, estimate, 0);
  expect(bounds.candidates().map(({ chunkSeq }) => chunkSeq)).toEqual([1, 3, 0, 2]);
});
