import { z } from "../vendor/zod.js";

/** Unknown keys are kept, so that the schema refuses them, or dropped. */
export type UnknownKeys = "refuse" | "ignore";

/**
 * Renames the keys of an input to those of its schema: `api_key` becomes `apiKey` if the schema has that key and the
 * input does not. With a union, a key is known if any alternative has it. Inputs that are not objects, and schemas
 * without keys, stay unchanged.
 */
export function normalizeKeys(schema: z.core.$ZodType, input: unknown, unknownKeys: UnknownKeys): unknown {
  return normalizeValue([schema], input, unknownKeys);
}

function normalizeValue(schemas: readonly z.core.$ZodType[], input: unknown, unknownKeys: UnknownKeys): unknown {
  const kinds = schemas.flatMap(kindsOf);
  if (Array.isArray(input)) {
    const elements = kinds.flatMap((kind) => (kind instanceof z.core.$ZodArray ? [kind._zod.def.element] : []));
    return elements.length === 0 ? input : input.map((item: unknown) => normalizeValue(elements, item, unknownKeys));
  }
  const objects = kinds.filter((kind) => kind instanceof z.core.$ZodObject);
  if (objects.length === 0 || typeof input !== "object" || input === null) return input;
  const valuesOf = (key: string) =>
    objects.flatMap(({ _zod: { def } }) => (Object.hasOwn(def.shape, key) ? [def.shape[key]!] : []));
  const open = objects.some(({ _zod: { def } }) => def.catchall && !(def.catchall instanceof z.core.$ZodNever));
  const normalized = Object.entries(input).flatMap(([given, value]) => {
    const camel = toCamelCase(given);
    const key = valuesOf(given).length > 0 || Object.hasOwn(input, camel) ? given : camel;
    const values = valuesOf(key);
    if (values.length > 0) return [[key, normalizeValue(values, value, unknownKeys)]];
    return open || unknownKeys === "refuse" ? [[given, value]] : [];
  });
  return Object.fromEntries(normalized);
}

/** The alternatives of a schema, without wrappers such as optional and default. */
function kindsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap(kindsOf);
  if (schema instanceof z.core.$ZodIntersection) return [schema._zod.def.left, schema._zod.def.right].flatMap(kindsOf);
  if (schema instanceof z.core.$ZodPipe) return kindsOf(schema._zod.def.in);
  if (schema instanceof z.core.$ZodLazy) return kindsOf(schema._zod.def.getter());
  if (isWrapper(schema)) return kindsOf(schema._zod.def.innerType);
  return [schema];
}

function isWrapper(schema: z.core.$ZodType): schema is z.core.$ZodOptional {
  return "innerType" in schema._zod.def;
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
