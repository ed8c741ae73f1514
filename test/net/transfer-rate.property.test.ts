import fc from "fast-check";
import { expect, it } from "vitest";
import { FILE_RATE, TransferRateMonitor } from "#dist/net/transfer-rate.js";

/** Seconds until a body that comes evenly is given up; null where it never is within ten minutes. */
function givenUpAfter(bytesPerSecond: number, everySeconds = 1): number | null {
  const monitor = new TransferRateMonitor(FILE_RATE);
  for (let seconds = everySeconds; seconds <= 600; seconds += everySeconds) {
    if (monitor.add(bytesPerSecond * everySeconds, everySeconds * 1000) !== null) return seconds;
  }
  return null;
}

it("gives a body of a byte a second up after 40 s, and one that stays below 32 KB a second after two minutes", () => {
  expect(givenUpAfter(1)).toBe(40);
  expect(givenUpAfter(1023)).toBe(40);
  expect(givenUpAfter(1024)).toBe(120);
  expect(givenUpAfter(32 * 1024 - 1)).toBe(120);
  expect(givenUpAfter(32 * 1024)).toBeNull();
});

it("judges a body by its rate, however its pieces come", () => {
  fc.assert(
    fc.property(fc.integer({ min: 32 * 1024, max: 10 ** 7 }), fc.integer({ min: 1, max: 29 }), (rate, every) => {
      expect(givenUpAfter(rate, every)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1, max: 29 }), (rate, every) => {
      expect(givenUpAfter(rate, every)).toBeLessThanOrEqual(40 + 30);
    }),
  );
});

it("says how much came in which time, and what is required", () => {
  const monitor = new TransferRateMonitor(FILE_RATE);
  expect(monitor.add(5, 10_000)).toBeNull();
  expect(monitor.add(30, 30_000)).toBe("30 bytes in 30 s; the minimum is 1024 bytes per second");
});
