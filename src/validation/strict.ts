import { z } from "../vendor/zod.js";
import { describeUnknownKeys } from "./parse-input.js";

/** Creates an object schema that refuses unknown keys and suggests the nearest known one. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? describeUnknownKeys((issue as { keys?: string[] }).keys ?? [], known)
        : undefined,
  });
}
