import { z } from "../vendor/zod.js";

/** `refuse` keeps unknown keys, so that the schema refuses them; `ignore` drops them. */
export type UnknownKeys = "refuse" | "ignore";

/**
 * Renames the keys of an input to those of its schema: `api_key` becomes `apiKey` if the schema has that key and the
 * input does not. With a union, a key is known if any alternative has it. Inputs that are not objects, and schemas
 * without keys, are left unchanged.
 */
export function normalizeKeys(schema: z.core.$ZodType, input: unknown, unknownKeys: UnknownKeys): unknown {
  return normalizeValue([schema], input, unknownKeys);
}

function normalizeValue(schemas: readonly z.core.$ZodType[], input: unknown, unknownKeys: UnknownKeys): unknown {
  const types = schemas.flatMap(unwrap);
  if (Array.isArray(input)) {
    const elements = types.flatMap((type) => (type instanceof z.core.$ZodArray ? [type._zod.def.element] : []));
    return elements.length === 0 ? input : input.map((item: unknown) => normalizeValue(elements, item, unknownKeys));
  }
  const objects = types.filter((type) => type instanceof z.core.$ZodObject);
  if (objects.length === 0 || typeof input !== "object" || input === null) return input;
  const schemasOf = (key: string) =>
    objects.flatMap(({ _zod: { def } }) => (Object.hasOwn(def.shape, key) ? [def.shape[key]!] : []));
  const allowsUnknownKeys = objects.some(
    ({ _zod: { def } }) => def.catchall && !(def.catchall instanceof z.core.$ZodNever),
  );
  const normalized = Object.entries(input).flatMap(([original, value]) => {
    const camel = toCamelCase(original);
    const key = schemasOf(original).length > 0 || Object.hasOwn(input, camel) ? original : camel;
    const valueSchemas = schemasOf(key);
    if (valueSchemas.length > 0) return [[key, normalizeValue(valueSchemas, value, unknownKeys)]];
    return allowsUnknownKeys || unknownKeys === "refuse" ? [[original, value]] : [];
  });
  return Object.fromEntries(normalized);
}

/** Returns the alternatives of a schema, without wrappers such as optional and default. */
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap(unwrap);
  if (schema instanceof z.core.$ZodIntersection) return [schema._zod.def.left, schema._zod.def.right].flatMap(unwrap);
  if (schema instanceof z.core.$ZodPipe) return unwrap(schema._zod.def.in);
  if (schema instanceof z.core.$ZodLazy) return unwrap(schema._zod.def.getter());
  if (isWrapper(schema)) return unwrap(schema._zod.def.innerType);
  return [schema];
}

function isWrapper(schema: z.core.$ZodType): schema is z.core.$ZodOptional {
  return "innerType" in schema._zod.def;
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
