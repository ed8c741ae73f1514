import fc from "fast-check";
import type { JsonValue, Metadata } from "../../src/types.js";

// Small pools, so that filters meet what the metadata has.

const strings = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("", "x", "y", "5", "true", "～", "😀", "a\0b", "'; --", "É", "E\u0301") },
  { weight: 2, arbitrary: fc.constantFrom("\ud800", "a\udfff", "\ufffd", "a\ufffd") },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 }).map(fromUnits) },
);
const numbers = fc.constantFrom(0, -0, 1, -1, 0.5, 5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, 1e15);
const scalars = fc.oneof(strings, numbers, fc.boolean());

function fromUnits(units: readonly number[]): string {
  return String.fromCharCode(...units);
}

const METADATA_KEYS = ["a", "b", "c.d", "", "it's", "__proto__", "constructor", "url", "filename", "headings"];
const ENGINE_KEYS = ["documentId", "sequence_number", "page_number", "tenantId", "namespaceId"];
const OTHER_KEYS = ["missing", "\ud800", "\ufffd"];

const values: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 2, arbitrary: fc.array(strings, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonValue>(
      null,
      { a: "x" },
      [1, 2],
      ["x", 1],
      [["x"]],
      [null],
      JSON.parse('{"__proto__": 1}'),
    ),
  },
);

/** Metadata of few keys and odd values. */
export const oddMetadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(fc.constantFrom(...METADATA_KEYS, "\ufffd"), values), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));

/** Filters of every operator over such metadata and the engine's own keys. `ids` are values that identity keys may have. */
export function oddFilters(ids: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const known = fc.oneof({ weight: 5, arbitrary: scalars }, { weight: 1, arbitrary: fc.constantFrom(...ids) });
  const ordered = known.filter((value) => typeof value !== "boolean");
  const list = fc.array(known, { maxLength: 3 });
  const operators = fc
    .record(
      {
        $eq: known,
        $ne: known,
        $gt: ordered,
        $gte: ordered,
        $lt: ordered,
        $lte: ordered,
        $in: list,
        $nin: list,
        $all: fc.array(known, { minLength: 1, maxLength: 2 }),
        $exists: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map((given) => Object.fromEntries(Object.entries(given).slice(0, 2)))
    .filter((given) => Object.keys(given).length > 0);
  const condition = fc.oneof(
    known,
    list,
    operators,
    operators.map(($not) => ({ $not })),
  );
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...METADATA_KEYS) },
    { weight: 2, arbitrary: fc.constantFrom(...ENGINE_KEYS) },
    { weight: 1, arbitrary: fc.constantFrom(...OTHER_KEYS) },
  );
  const leaf = fc
    .array(fc.tuple(key, condition), { minLength: 1, maxLength: 2 })
    .map((entries): Record<string, unknown> => Object.fromEntries(entries));
  return fc.letrec<{ node: Record<string, unknown>; list: Record<string, unknown>[] }>((tie) => ({
    list: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.record({ $and: tie("list") }),
      fc.record({ $or: tie("list") }),
      fc.record({ $nor: tie("list") }),
      fc.record({ $not: tie("node") }),
    ),
  })).node;
}
