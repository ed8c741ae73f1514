import type { Metadata } from "../types.js";
import { preview } from "../util/preview.js";
import { z } from "../vendor/zod.js";

/** Metadata keys that the engine sets itself. */
export const ENGINE_KEYS = ["documentId", "namespaceId", "tenantId", "sequence_number", "page_number"];

const MAX_METADATA_BYTES = 64 * 1024;

const MAX_METADATA_KEYS = 100;

const MAX_METADATA_DEPTH = 5;

/** Not a zod record, which silently drops a key named `__proto__`. */
export const metadataSchema = z
  .custom<Metadata>(isPlainObject, "must be an object of keys and JSON values")
  .superRefine((value, context) => {
    const refuse = (message: string, path: (string | number)[] = []) =>
      context.addIssue({ code: "custom", message, path, input: undefined });
    const keys = Object.keys(value);
    if (keys.length > MAX_METADATA_KEYS) refuse(`has ${keys.length} keys; the maximum is ${MAX_METADATA_KEYS}`);
    for (const key of keys) {
      if (ENGINE_KEYS.includes(key)) refuse("is a key that the engine sets itself; use another name", [key]);
      // Stores encode keys as UTF-8, which replaces every lone surrogate with the same character.
      if (!key.isWellFormed()) refuse(`has a key that is not well-formed Unicode: ${JSON.stringify(key)}`);
    }
    const problem = findJsonProblem(value, [], MAX_METADATA_DEPTH);
    if (problem) return refuse(problem.message, problem.path);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_METADATA_BYTES) refuse(`takes ${bytes} bytes as JSON; the maximum is ${MAX_METADATA_BYTES}`);
  });

type JsonProblem = { readonly message: string; readonly path: (string | number)[] };

/** Returns why, and at which path, a value is not JSON of at most `remainingDepth` levels; `null` if it is. */
function findJsonProblem(value: unknown, path: (string | number)[], remainingDepth: number): JsonProblem | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number" && Number.isFinite(value)) return null;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return { message: `is not a JSON value: ${preview(value)}`, path };
  if (remainingDepth === 0) return { message: `is nested deeper than ${MAX_METADATA_DEPTH}`, path: path.slice(0, 1) };
  for (const [key, item] of Object.entries(value)) {
    const problem = findJsonProblem(item, [...path, isList ? Number(key) : key], remainingDepth - 1);
    if (problem) return problem;
  }
  return null;
}

/** Checks the object's tag, which excludes Date and Map, and includes objects of other realms. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}
