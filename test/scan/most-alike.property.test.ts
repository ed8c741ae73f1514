import fc from "fast-check";
import { expect, it } from "vitest";
import { MostAlike } from "#dist/scan/most-alike.js";

/** The width of the parts in which it counts. */
const PART = 2 / 8192;

it("keeps the largest, all that is about equal to the last of them, and nothing far below", () => {
  const estimate = fc.oneof(
    fc.double({ min: -1.5, max: 1.5, noNaN: true }),
    fc.constantFrom(-1, 0, 1, 0.25, 0.25 + PART / 4, Number.POSITIVE_INFINITY),
  );
  const given = fc.record({
    estimates: fc.array(estimate, { maxLength: 200, size: "max" }),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(given, ({ estimates, limit }) => {
      const most = new MostAlike(limit);
      // Whoever adds leaves out what lies below the threshold.
      for (const [place, one] of estimates.entries()) if (one >= most.threshold) most.add(place, one);
      const kept = new Set(most.candidates().map(({ chunkSeq }) => chunkSeq));
      const clamped = estimates.map((one) => Math.min(1, Math.max(-1, one)));
      const last = clamped.toSorted((a, b) => b - a)[Math.min(limit, clamped.length) - 1] ?? 0;
      for (const [place, one] of clamped.entries()) {
        if (one >= last) expect(kept).toContain(place);
        if (one < last - PART) expect(kept).not.toContain(place);
      }
    }),
  );
});
