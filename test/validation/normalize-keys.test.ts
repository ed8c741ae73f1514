import { describe, expect, it } from "vitest";
import { z } from "zod";
import { normalizeKeys } from "#dist/validation/normalize-keys.js";

const nested = z.strictObject({ indexHost: z.string(), poolSize2: z.number().optional() });
const flat = z.strictObject({ provider: z.literal("A"), apiKey: z.string(), inner: nested.optional() });
const kinds = z.discriminatedUnion("auth", [
  z.strictObject({ auth: z.literal("key"), apiKey: z.string() }),
  z.strictObject({ auth: z.literal("user"), userName: z.string() }),
]);

describe.each(["refuse", "ignore"] as const)("asked to %s unknown keys", (unknownKeys) => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ["known keys as they are", flat, { provider: "A", apiKey: "k" }, { provider: "A", apiKey: "k" }],
    ["snake case for camel case", flat, { provider: "A", api_key: "k" }, { provider: "A", apiKey: "k" }],
    [
      "what is inside too",
      flat,
      { inner: { index_host: "h", pool_size2: 1 } },
      { inner: { indexHost: "h", poolSize2: 1 } },
    ],
    ["snake case that is known", z.strictObject({ api_key: z.string() }), { api_key: "k" }, { api_key: "k" }],
    ["the keys of every kind", kinds, { auth: "key", user_name: "u" }, { auth: "key", userName: "u" }],
    ["the keys of both halves", flat.and(nested), { api_key: "k", index_host: "h" }, { apiKey: "k", indexHost: "h" }],
    ["lists", z.array(nested), [{ index_host: "h" }], [{ indexHost: "h" }]],
    ["wrapped schemas", flat.readonly().default({} as never), { api_key: "k" }, { apiKey: "k" }],
    ["checked and changed schemas", flat.refine(() => true).transform(String), { api_key: "k" }, { apiKey: "k" }],
    [
      "any key where all are known",
      z.looseObject({ apiKey: z.string() }),
      { api_key: "k", more_keys: 1 },
      { apiKey: "k", more_keys: 1 },
    ],
    ["what is no object", flat, "text", "text"],
    ["what tells no keys", z.custom(), { any_key: 1 }, { any_key: 1 }],
  ])("takes %s", (_, schema, input, expected) => {
    expect(normalizeKeys(schema, input, unknownKeys)).toEqual(expected);
  });
});

it("leaves unknown keys in their places, or out", () => {
  const input = { provider: "A", api_key: "k", apiKey: "k2", extra: 1, inner: { indexHost: "h", extra: 2 } };
  expect(normalizeKeys(flat, input, "refuse")).toEqual(input);
  expect(normalizeKeys(flat, input, "ignore")).toEqual({ provider: "A", apiKey: "k2", inner: { indexHost: "h" } });
  expect(normalizeKeys(kinds, { auth: "key", userName: "u", other: 1 }, "ignore")).toEqual({
    auth: "key",
    userName: "u",
  });
});
