import fc from "fast-check";

type Schema = Readonly<Record<string, unknown>>;

/** Strings that have broken something somewhere. */
export const HOSTILE = [
  ...[
    "",
    " ",
    "\u0000",
    "\ud800",
    "\u202e",
    "\ufeff",
    "e\u0301",
    "😀",
    "．．／",
    "a".repeat(3000),
    "null",
    "undefined",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "../../etc/passwd",
    "..\\..\\x",
    "%2e%2e%2f",
    "%00",
    "%",
  ],
  ...[
    "' OR '1'='1",
    '"; DROP TABLE documents; --',
    "x') OR ('1'='1",
    "*",
    '"',
    "NEAR(a b)",
    "a AND NOT",
    "col:x",
    "{}",
  ],
  ...["$where", "$eq", "$", "a.b", "[0]", "-1", "1e999", "0x10", "9007199254740993", "NaN", "\r\nX-Injected: 1"],
];

const strange = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, 0, -1, 1e308, Number.MIN_VALUE, [], {}, [[]], { $eq: {} }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/**
 * JSON values that a schema takes, or would but for something somewhere in them.
 * @param words Strings that mean something to the server.
 */
export function near(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 60, arbitrary: fc.constant(null).chain(() => fitting(schema, words)) },
    { weight: 1, arbitrary: strange },
  );
}

function fitting(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  const branches = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (branches) return fc.oneof(...branches.map((branch) => near(branch, words)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...(schema.enum as readonly unknown[]));
  const { minimum = -10, maximum = 200_000 } = schema as { minimum?: number; maximum?: number };
  switch (schema.type) {
    case "object":
      return object(schema, words);
    case "array":
      return fc.array(near(schema.items as Schema, words), { minLength: 1, maxLength: 3 });
    case "integer":
      return fc.integer({ min: Math.max(minimum, -1000), max: Math.min(maximum, 1_000_000) });
    case "number":
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return text(schema, words);
    default:
      return fc.dictionary(
        fc.constantFrom(...words, ...HOSTILE),
        fc.oneof(strange, fc.constantFrom(...words, 1, 2.5)),
        {
          maxKeys: 3,
        },
      );
  }
}

function object(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties);
  const known = fc.tuple(
    ...entries.map(([name, property]) => {
      const value = near(property, words);
      // Nearly always there where it must be, mostly not where it may.
      return required.includes(name) ? present(value, 60, 1) : present(value, 1, 3);
    }),
  );
  const extras = present(fc.dictionary(fc.constantFrom(...HOSTILE), strange, { maxKeys: 2 }), 1, 4);
  return fc.tuple(known, extras).map(([values, more]) => ({
    ...more,
    ...Object.fromEntries(
      entries.map(([name], place) => [name, values[place]]).filter(([, value]) => value !== undefined),
    ),
  }));
}

function text({ pattern, minLength = 0, maxLength = 40 }: Schema, words: readonly string[]): fc.Arbitrary<string> {
  const free = fc.oneof(fc.constantFrom(...words), fc.string({ minLength: minLength as number, maxLength: 40 }));
  const fits = new RegExp((pattern as string | undefined) ?? "", "u");
  const fitting = words.filter((word) => fits.test(word) && word.length <= (maxLength as number));
  return fitting.length > 0 ? fc.oneof(fc.constantFrom(...fitting), free) : free;
}

/** A value or none, in these shares. */
export function present<Value>(
  value: fc.Arbitrary<Value>,
  here: number,
  away: number,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: here, arbitrary: value }, { weight: away, arbitrary: fc.constant(undefined) });
}
