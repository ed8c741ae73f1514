import fc from "fast-check";
import { expect, it } from "vitest";
import { packBatches } from "#dist/util/pack-batches.js";

it("packs all items in order, within both limits, and no fewer together than fit", () => {
  const weights = fc.array(fc.nat(50), { maxLength: 60 });
  fc.assert(
    fc.property(
      weights,
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 100 }),
      (all, maxItems, maxWeight) => {
        const batches = packBatches(all, { maxItems, maxWeight }).map(([start, end]) => all.slice(start, end));
        expect(batches.flat()).toEqual(all);
        const sum = (batch: readonly number[]) => batch.reduce((total, more) => total + more, 0);
        for (const [index, batch] of batches.entries()) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          if (batch.length > 1) expect(sum(batch)).toBeLessThanOrEqual(maxWeight);
          const next = batches[index + 1];
          if (next) expect(batch.length === maxItems || sum(batch) + next[0]! > maxWeight).toBe(true);
        }
      },
    ),
  );
});
