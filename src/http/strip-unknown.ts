import { z } from "../vendor/zod.js";

/**
 * Removes the keys that a schema doesn't know, at every depth, since clients of an HTTP API send extra keys.
 * Keeps everything in objects that allow any key, and validates nothing.
 */
export function stripUnknownKeys(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return stripUnknownKeys(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodArray) {
    return Array.isArray(value) ? value.map((item) => stripUnknownKeys(schema.element as z.ZodType, item)) : value;
  }
  if (!isObject(value)) return value;
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const branch = (schema.options as readonly z.ZodObject[]).find(({ shape }) => {
      return (shape[discriminator] as z.ZodType | undefined)?.safeParse(value[discriminator]).success;
    });
    return branch ? stripUnknownKeys(branch, value) : value;
  }
  if (!(schema instanceof z.ZodObject) || isLoose(schema)) return value;
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>)
      .filter(([key]) => Object.hasOwn(value, key))
      .map(([key, inner]) => [key, stripUnknownKeys(inner, value[key])]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether the schema accepts unknown keys. */
function isLoose(schema: z.ZodObject): boolean {
  return schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
}
