import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, truncateToTokens } from "#dist/net/estimate-tokens.js";

describe("the estimate of tokens", () => {
  // Counted with OpenAI's cl100k_base: the estimate may be above, never below.
  it.each([
    ["The quick brown fox jumps over the lazy dog.", 10],
    ["Antidisestablishmentarianism", 6],
    ["1234567890", 4],
    ["こんにちは世界", 4],
    ["    return a[i] += 0x1F;\n", 13],
    ["👨‍👩‍👧", 13],
  ])("is not below what a tokenizer counts: %s", (text, counted) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(counted);
  });

  it("is a letter each for what is no word", () => {
    for (const text of ["qzxvkj", "x".repeat(40), "aB3dE6gH", "deadbeef0123"]) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(text.length / 2);
    }
    expect(estimateTokens("qzxvkj")).toBeGreaterThan(6);
    expect(estimateTokens("a".repeat(40))).toBeGreaterThan(40);
  });

  it("is never above the bytes of a text and the markers at its ends, and grows with the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
        expect(estimateTokens(one)).toBeLessThanOrEqual(Buffer.byteLength(one) + 2);
        expect(estimateTokens(`${one}\n${other}`)).toBeGreaterThanOrEqual(estimateTokens(one));
      }),
    );
  });

  it("cuts a text to its longest beginning that has so many tokens", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 2, max: 60 }), (text, most) => {
        const cut = truncateToTokens(text, most);
        expect(text.startsWith(cut)).toBe(true);
        expect(estimateTokens(cut)).toBeLessThanOrEqual(most);
        if (estimateTokens(text) <= most) expect(cut).toBe(text);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
