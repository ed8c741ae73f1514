import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { canonicalRerankerName, HOSTED_RERANKERS, hostedVendorOf } from "#dist/providers/reranker-names.js";

const NEUTRAL = { cohere: "vendor_a", zeroentropy: "vendor_b" } as const;

it("has every hosted model in the table of providers, by both names", () => {
  const page = readFileSync("docs/guide/providers.md", "utf8");
  for (const [vendor, models] of Object.entries(HOSTED_RERANKERS)) {
    for (const model of models) {
      const neutral = `${NEUTRAL[vendor as keyof typeof NEUTRAL]}:${model}`;
      expect(page).toContain(`| \`${vendor}:${model}\` | \`${neutral}\` |`);
      expect(canonicalRerankerName(neutral)).toBe(`${vendor}:${model}`);
    }
  }
  expect(page.match(/^\| `(?:cohere|zeroentropy):/gm)).toHaveLength(8);
});

it.each([
  ["vendor_a", "cohere", "cohere"],
  ["vendor_b:zerank:2", "zeroentropy:zerank:2", "zeroentropy"],
  ["transformers:Xenova/x", "transformers:Xenova/x", null],
  ["vendor_ab:x", "vendor_ab:x", null],
  ["constructor:x", "constructor:x", null],
  ["", "", null],
])("reads the name %j", (name, canonical, vendor) => {
  expect([canonicalRerankerName(name), hostedVendorOf(name)]).toEqual([canonical, vendor]);
});
