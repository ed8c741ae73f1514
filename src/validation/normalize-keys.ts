import { z } from "../vendor/zod.js";

/** What becomes of keys that a schema doesn't know: they stay, for the schema to refuse them, or they are left out. */
export type UnknownKeys = "refuse" | "ignore";

/**
 * An input with the keys that its schema knows: `api_key` becomes `apiKey` where that is known and not given as well.
 * Of a schema of several kinds, a key is known that any of them knows. What is no object, or whose schema tells no
 * keys, stays as it is.
 */
export function normalizeKeys(schema: z.core.$ZodType, input: unknown, unknownKeys: UnknownKeys): unknown {
  return settle([schema], input, unknownKeys);
}

function settle(schemas: readonly z.core.$ZodType[], input: unknown, unknownKeys: UnknownKeys): unknown {
  const kinds = schemas.flatMap(kindsOf);
  if (Array.isArray(input)) {
    const elements = kinds.flatMap((kind) => (kind instanceof z.core.$ZodArray ? [kind._zod.def.element] : []));
    return elements.length === 0 ? input : input.map((item: unknown) => settle(elements, item, unknownKeys));
  }
  const objects = kinds.filter((kind) => kind instanceof z.core.$ZodObject);
  if (objects.length === 0 || typeof input !== "object" || input === null) return input;
  const valuesOf = (key: string) =>
    objects.flatMap(({ _zod: { def } }) => (Object.hasOwn(def.shape, key) ? [def.shape[key]!] : []));
  const open = objects.some(({ _zod: { def } }) => def.catchall && !(def.catchall instanceof z.core.$ZodNever));
  const settled = Object.entries(input).flatMap(([given, value]) => {
    const camel = inCamelCase(given);
    const key = valuesOf(given).length > 0 || Object.hasOwn(input, camel) ? given : camel;
    const values = valuesOf(key);
    if (values.length > 0) return [[key, settle(values, value, unknownKeys)]];
    return open || unknownKeys === "refuse" ? [[given, value]] : [];
  });
  return Object.fromEntries(settled);
}

/** The kinds that a value of a schema may be of, out of their wrappings. */
function kindsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap(kindsOf);
  if (schema instanceof z.core.$ZodIntersection) return [schema._zod.def.left, schema._zod.def.right].flatMap(kindsOf);
  if (schema instanceof z.core.$ZodPipe) return kindsOf(schema._zod.def.in);
  if (schema instanceof z.core.$ZodLazy) return kindsOf(schema._zod.def.getter());
  if (isWrapping(schema)) return kindsOf(schema._zod.def.innerType);
  return [schema];
}

function isWrapping(schema: z.core.$ZodType): schema is z.core.$ZodOptional {
  return "innerType" in schema._zod.def;
}

function inCamelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
