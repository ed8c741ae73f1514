import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnowledgeBaseError } from "#dist/errors.js";
import { compareCodePoints, matchesFilter, parseFilter } from "#dist/filter.js";
import type { JsonValue, Metadata } from "../src/types.js";

const check = (filter: unknown, metadata: Metadata) => matchesFilter(parseFilter(filter), metadata);

function refusal(filter: unknown): KnowledgeBaseError {
  try {
    parseFilter(filter);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "invalid_input")) return error;
    throw error;
  }
  throw new Error("the filter was accepted");
}

describe("operators", () => {
  const note = { year: 2026, lang: "en", draft: false, tags: ["tide", "fog"], empty: [] as string[], none: null };

  it.each<[string, unknown, boolean]>([
    ["an empty filter holds", {}, true],
    ["a bare value is $eq", { year: 2026 }, true],
    ["a bare array is $in", { year: [2025, 2026] }, true],
    ["an empty bare array is never met", { year: [] }, false],
    ["every key must hold", { year: 2026, lang: "de" }, false],
    ["every operator must hold", { year: { $gt: 2025, $lt: 2026 } }, false],
    ["a range", { year: { $gte: 2026, $lte: 2026 } }, true],
    ["$gt is strict", { year: { $gt: 2026 } }, false],
    ["$lt is strict", { year: { $lt: 2026 } }, false],
    ["$ne", { lang: { $ne: "de" } }, true],
    ["$ne of the same value", { lang: { $ne: "en" } }, false],
    ["$in", { lang: { $in: ["de", "en"] } }, true],
    ["$in of nothing", { lang: { $in: [] } }, false],
    ["$nin", { lang: { $nin: ["de"] } }, true],
    ["$nin of nothing", { lang: { $nin: [] } }, true],
    ["a boolean", { draft: false }, true],
    ["$exists: true", { lang: { $exists: true } }, true],
    ["$exists: false", { lang: { $exists: false } }, false],
    ["$eq on an array: has such an element", { tags: { $eq: "fog" } }, true],
    ["$eq on an array without it", { tags: "wind" }, false],
    ["$ne on an array: has no such element", { tags: { $ne: "fog" } }, false],
    ["$in on an array", { tags: { $in: ["wind", "tide"] } }, true],
    ["$nin on an array", { tags: { $nin: ["wind", "rain"] } }, true],
    ["$all", { tags: { $all: ["fog", "tide"] } }, true],
    ["$all with one too many", { tags: { $all: ["fog", "wind"] } }, false],
    ["an array has no order", { tags: { $gt: "a" } }, false],
    ["an empty array exists", { empty: { $exists: true } }, true],
    ["$and", { $and: [{ year: 2026 }, { lang: "de" }] }, false],
    ["$or", { $or: [{ year: 1999 }, { lang: "en" }] }, true],
    ["$nor", { $nor: [{ year: 1999 }, { lang: "de" }] }, true],
    ["$not around a filter", { $not: { lang: "de" } }, true],
    ["$not around operators", { year: { $not: { $gte: 2026 } } }, false],
    ["logic beside keys", { lang: "en", $or: [{ year: 1999 }, { draft: true }] }, false],
    ["an undefined condition is none", { lang: undefined, year: { $gt: 2025, $lt: undefined } }, true],
  ])("%s", (_, filter, expected) => expect(check(filter, note)).toBe(expected));
});

describe("missing keys", () => {
  it.each<[unknown, boolean]>([
    [{ x: { $ne: 1 } }, true],
    [{ x: { $nin: [1] } }, true],
    [{ x: { $exists: false } }, true],
    [{ x: { $not: { $gt: 1 } } }, true],
    [{ $not: { x: 1 } }, true],
    [{ $nor: [{ x: 1 }] }, true],
    [{ x: 1 }, false],
    [{ x: { $in: [1] } }, false],
    [{ x: { $all: ["a"] } }, false],
    [{ x: { $gt: 0 } }, false],
    [{ x: { $lte: 0 } }, false],
    [{ x: { $exists: true } }, false],
    [{ x: { $not: { $ne: 1 } } }, false],
  ])("%j on a missing key: %s", (filter, expected) => {
    expect(check(filter, {})).toBe(expected);
    // What filters cannot reach counts as missing.
    for (const x of [null, { deep: 1 }, [1, 2], ["a", 1], [["a"]]] as JsonValue[])
      expect(check(filter, { x })).toBe(expected);
  });

  it("does not see inherited properties", () => {
    expect(check({ constructor: { $exists: true } }, {})).toBe(false);
    expect(check(JSON.parse('{"__proto__": "x"}'), JSON.parse('{"__proto__": "x"}'))).toBe(true);
    expect(check(JSON.parse('{"__proto__": {"$exists": true}}'), {})).toBe(false);
  });
});

describe("types and order", () => {
  it("never coerces", () => {
    expect(check({ n: "5" }, { n: 5 })).toBe(false);
    expect(check({ n: 5 }, { n: "5" })).toBe(false);
    expect(check({ n: 1 }, { n: true })).toBe(false);
    expect(check({ n: false }, { n: 0 })).toBe(false);
    expect(check({ n: "" }, { n: false })).toBe(false);
    expect(check({ n: { $gt: "4" } }, { n: 5 })).toBe(false);
    expect(check({ n: { $lt: 4 } }, { n: "3" })).toBe(false);
    expect(check({ n: { $gte: 0 } }, { n: true })).toBe(false);
  });

  it("takes keys literally", () => {
    expect(check({ "a.b": 1 }, { "a.b": 1 })).toBe(true);
    expect(check({ "a.b": 1 }, { a: { b: 1 } })).toBe(false);
    expect(check({ "a'; --": 1, "": 2 }, { "a'; --": 1, "": 2 })).toBe(true);
  });

  it("orders strings by code point", () => {
    // U+FF5E sorts after U+1F600 by UTF-16 unit, and before it by code point.
    expect(check({ s: { $lt: "😀" } }, { s: "～" })).toBe(true);
    expect(compareCodePoints("～", "😀")).toBeLessThan(0);
    expect(check({ s: { $gt: "a" } }, { s: "B" })).toBe(false);
  });

  it("reads a lone surrogate as what a store would give back", () => {
    expect(check({ s: "a\ud800" }, { s: "a\ud800" })).toBe(true);
    expect(check({ s: "a\ufffd" }, { s: "a\ud800" })).toBe(true);
  });

  it("holds zero and minus zero equal", () => {
    expect(check({ n: -0 }, { n: 0 })).toBe(true);
    expect(check({ n: { $gte: 0 } }, { n: -0 })).toBe(true);
  });
});

describe("refusals", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["an unknown operator", { year: { $near: 5 } }, "filter.year.$near", /unknown operator.*\$gte/],
    ["a nested object", { a: { b: 1 } }, "filter.a.b", /unknown operator/],
    ["an operator without a key", { $gt: 5 }, "filter.$gt", /is not allowed here/],
    ["a place inside $or", { $or: [{ a: 1 }, { b: { $lt: true } }] }, "filter.$or[1].b.$lt", /booleans have no order/],
    ["an empty $or", { $or: [] }, "filter.$or", /at least one filter, not an empty list/],
    ["an $and that is no list", { $and: { a: 1 } }, "filter.$and", /list of at least one filter/],
    ["$in without a list", { a: { $in: "x" } }, "filter.a.$in", /list of values, not "x"/],
    ["$nin with null", { a: { $nin: [1, null] } }, "filter.a.$nin[1]", /not null; to ask .* \$exists/],
    ["an empty $all", { a: { $all: [] } }, "filter.a.$all", /at least one value/],
    ["$exists with a number", { a: { $exists: 1 } }, "filter.a.$exists", /true or false, not 1/],
    ["NaN", { a: { $gt: Number.NaN } }, "filter.a.$gt", /finite number.*NaN/],
    ["null", { a: null }, "filter.a", /not null/],
    ["a condition without operators", { a: {} }, "filter.a", /at least one operator/],
    ["$not with a value", { a: { $not: 5 } }, "filter.a.$not", /object of operators, not 5/],
    ["a list for a filter", [{ a: 1 }], "filter", /object of conditions, not a list/],
    ["a string for a filter", "a = 1", "filter", /object of conditions, not "a = 1"/],
    ["a Map for a filter", new Map([["a", 1]]), "filter", /object of conditions, not a Map/],
    ["a Date as a value", { at: new Date(0) }, "filter.at", /not a Date/],
    ["a RegExp as an operand", { at: { $eq: /x/ } }, "filter.at.$eq", /not a RegExp/],
    ["a bigint", { at: 5n }, "filter.at", /not a bigint/],
  ])("%s", (_, filter, field, message) => {
    const error = refusal(filter);
    expect(error.issues[0]?.field).toBe(field);
    expect(error.message).toMatch(message);
    expect(error.message.startsWith(field)).toBe(true);
  });

  it("bounds depth and length", () => {
    let deep: unknown = { a: 1 };
    for (let i = 0; i < 40; i++) deep = { $not: deep };
    expect(refusal(deep).message).toMatch(/deeper than 32/);
    const many = Array.from({ length: 10_001 }, (_, i) => i);
    expect(refusal({ a: { $in: many } }).message).toMatch(/limit of 10000/);
    expect(refusal({ a: many }).message).toMatch(/limit of 10000/);
    expect(refusal({ $or: many.map((a) => ({ a })) }).message).toMatch(/limit of 1000 conditions/);
    expect(() => parseFilter({ a: many.slice(0, 9_000) })).not.toThrow();
  });

  it("counts what is asked of a chunk, each value of $all too, and nothing twice", () => {
    const many = Array.from({ length: 1001 }, (_, i) => i);
    const refused = /limit of 1000 conditions/;
    for (const filter of [
      (values: readonly number[]) => ({ a: { $all: values } }),
      (values: readonly number[]) => ({ $or: values.map((a) => ({ a })) }),
      (values: readonly number[]) => ({ $or: values.map((a) => ({ a: { $not: { $gt: a } } })) }),
      (values: readonly number[]) => ({ $and: values.map(() => ({})) }),
    ]) {
      expect(refusal(filter(many)).message).toMatch(refused);
      expect(() => parseFilter(filter(many.slice(1)))).not.toThrow();
    }
    expect(parseFilter({ a: { $all: Array(9000).fill("x") } })).toEqual({ op: "in", key: "a", values: ["x"] });
  });
});

describe("against an independent evaluator", () => {
  const keys = ["a", "b", "c.d"] as const;
  const scalar = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom(0.5, "", "x", "y", "5", "～", "😀"),
    fc.boolean(),
  );
  const text = fc.constantFrom("x", "y", "😀");
  const value: fc.Arbitrary<JsonValue> = fc.oneof(scalar, fc.array(text, { maxLength: 3 }), fc.constant(null));
  const metadata = fc.dictionary(fc.constantFrom(...keys), value) as fc.Arbitrary<Metadata>;
  const ordered = scalar.filter((item) => typeof item !== "boolean");
  const operators = fc.record(
    {
      $eq: scalar,
      $ne: scalar,
      $gt: ordered,
      $gte: ordered,
      $lt: ordered,
      $lte: ordered,
      $in: fc.array(scalar, { maxLength: 3 }),
      $nin: fc.array(scalar, { maxLength: 3 }),
      $all: fc.array(scalar, { minLength: 1, maxLength: 2 }),
      $exists: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const condition = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    operators.filter((given) => Object.keys(given).length > 0),
    operators.filter((given) => Object.keys(given).length > 0).map(($not) => ({ $not })),
  );
  const filter = fc.letrec((tie) => ({
    leaf: fc.dictionary(fc.constantFrom(...keys), condition, { maxKeys: 2 }),
    list: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.record({ $and: tie("list"), a: condition }, { requiredKeys: ["$and"] }),
      fc.record({ $or: tie("list"), b: condition }, { requiredKeys: ["$or"] }),
      fc.record({ $nor: tie("list") }),
      fc.record({ $not: tie("node") }),
    ),
  })).node;

  it("agrees on every filter and every metadata", () => {
    fc.assert(
      fc.property(filter, metadata, (given, meta) => {
        expect(check(given, meta)).toBe(naive(given as Record<string, unknown>, meta));
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Reads a filter as the documentation words it, without the parser's reduction to fewer operations. */
function naive(filter: Record<string, unknown>, meta: Metadata): boolean {
  return Object.entries(filter).every(([key, given]) => {
    const list = given as Record<string, unknown>[];
    if (key === "$and") return list.every((item) => naive(item, meta));
    if (key === "$or") return list.some((item) => naive(item, meta));
    if (key === "$nor") return !list.some((item) => naive(item, meta));
    if (key === "$not") return !naive(given as Record<string, unknown>, meta);
    if (Array.isArray(given)) return naiveOperator(meta[key], "$in", given);
    if (typeof given !== "object") return naiveOperator(meta[key], "$eq", given);
    return naiveOperators(meta[key], given as Record<string, unknown>);
  });
}

function naiveOperators(value: JsonValue | undefined, operators: Record<string, unknown>): boolean {
  return Object.entries(operators).every(([operator, operand]) =>
    operator === "$not"
      ? !naiveOperators(value, operand as Record<string, unknown>)
      : naiveOperator(value, operator, operand),
  );
}

function naiveOperator(value: JsonValue | undefined, operator: string, operand: unknown): boolean {
  const items = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const has = (wanted: unknown) => items.some((item) => item === wanted);
  if (operator === "$exists") return (value !== undefined && value !== null) === operand;
  if (operator === "$eq") return has(operand);
  if (operator === "$ne") return !has(operand);
  if (operator === "$in") return (operand as unknown[]).some(has);
  if (operator === "$nin") return !(operand as unknown[]).some(has);
  if (operator === "$all") return (operand as unknown[]).every(has);
  if (typeof value !== typeof operand) return false;
  const order = typeof value === "string" ? byCodePoint(value, String(operand)) : Number(value) - Number(operand);
  if (operator === "$gt") return order > 0;
  if (operator === "$gte") return order >= 0;
  if (operator === "$lt") return order < 0;
  return order <= 0;
}

function byCodePoint(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0)!);
  const right = Array.from(b, (character) => character.codePointAt(0)!);
  const at = left.findIndex((code, index) => code !== right[index]);
  return at === -1 ? left.length - right.length : left[at]! - (right[at] ?? -1);
}
