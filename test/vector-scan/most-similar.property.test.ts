import fc from "fast-check";
import { expect, it } from "vitest";
import { MostSimilar } from "#dist/vector-scan/most-similar.js";

it.each([0, -40, 3])("keeps the largest, and little else, of estimates about %d", (about) => {
  const estimate = fc.oneof(
    fc.double({ min: about - 1.5, max: about + 1.5, noNaN: true }),
    fc.constantFrom(about, about + 0.25, about + 0.25000001, about + 1),
  );
  const given = fc.record({
    estimates: fc.array(estimate, { maxLength: 200, size: "max" }),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(given, ({ estimates, limit }) => {
      const most = new MostSimilar(limit);
      // Whoever adds leaves out what lies below the threshold.
      for (const [place, one] of estimates.entries()) if (one >= most.threshold) most.add(place, one);
      const kept = new Set(most.candidates().map(({ chunkSeq }) => chunkSeq));
      const last = estimates.toSorted((a, b) => b - a)[Math.min(limit, estimates.length) - 1] ?? 0;
      const near = 2e-4 * (1 + Math.abs(about)) ** 2;
      for (const [place, one] of estimates.entries()) {
        if (one >= last) expect(kept).toContain(place);
        if (one < last - near) expect(kept).not.toContain(place);
      }
    }),
  );
});
