import { KnowledgeBaseError } from "../errors.js";

/** Each part begins with a letter, a digit or `_`, so a key can't name `..`, an absolute path or a hidden file. */
export const KEY_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;
const MAX_KEY_LENGTH = 1_024;

/**
 * Returns a valid key unchanged.
 * @throws KnowledgeBaseError `invalid_input` for a key that could name something outside the store
 */
export function checkKey(key: string): string {
  if (key.length <= MAX_KEY_LENGTH && KEY_PATTERN.test(key)) return key;
  const message =
    `The blob key ${JSON.stringify(key)} is not allowed: use up to ${MAX_KEY_LENGTH} characters of A-Z, a-z, 0-9, ` +
    `"_", "." and "-", in parts separated by "/", each beginning with a letter, a digit or "_".`;
  throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "key", message }] });
}
