import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import { parseInput } from "../validation/parse-input.js";

/**
 * Reads a YAML or JSON file (JSON is valid YAML). The key `<<` merges the keys of another object.
 * @throws KnowledgeBaseError `not_found`; `invalid_input`, whose message names the file and the line or field
 */
export async function readYaml<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
  const [text, { parse }] = await Promise.all([readText(path), import("yaml")]);
  let content: unknown;
  try {
    content = parse(text, { merge: true });
  } catch (cause) {
    throw new KnowledgeBaseError("invalid_input", `${path} is not YAML: ${getErrorMessage(cause)}`, { cause });
  }
  try {
    return parseInput(schema, content);
  } catch (cause) {
    if (!KnowledgeBaseError.is(cause)) throw cause;
    throw new KnowledgeBaseError("invalid_input", `${path}: ${getErrorMessage(cause)}`, {
      issues: cause.issues,
      cause,
    });
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new KnowledgeBaseError("not_found", `${path} cannot be read: ${getErrorMessage(cause)}`, { cause });
  }
}
