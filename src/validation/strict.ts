import { z } from "../vendor/zod.js";
import { unknownKeys } from "./parse-input.js";

/** An object that refuses unknown keys and names the nearest known one. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? unknownKeys((issue as { keys?: string[] }).keys ?? [], known) : undefined,
  });
}
