import { randomBytes, randomUUID } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { KEY_BYTES, parseMasterKey } from "./master-key.js";

/**
 * Reads the master keys in a directory's `secret.key` file, which has one per line, the active key first. Returns an
 * empty list if the file doesn't exist or, with `ignoreDenied`, if this user may not read it.
 * @throws KnowledgeBaseError `not_ready` if the file contains no key or anything other than keys
 */
export async function readSecretKeys(
  directory: string,
  { ignoreDenied = false }: { readonly ignoreDenied?: boolean } = {},
): Promise<readonly Uint8Array[]> {
  const path = keyPath(directory);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || (ignoreDenied && error.code === "EACCES")) return null;
    throw error;
  });
  if (text === null) return [];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const keys = lines.flatMap((line) => parseMasterKey(line) ?? []);
  if (keys.length > 0 && keys.length === lines.length) return keys;
  throw new KnowledgeBaseError(
    "not_ready",
    `${path} must contain one key of ${KEY_BYTES} bytes per line. Restore the file from a backup.`,
  );
}

/**
 * Returns the given master keys, followed by those in the directory's `secret.key` file. If there are no keys, creates the
 * file; processes that start at the same time get the same key. With `readOnly`, creates a key in memory instead, also if
 * this user may not read the file.
 */
export async function openMasterKeys(
  directory: string,
  given: readonly Uint8Array[],
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<readonly Uint8Array[]> {
  const keys = [...given, ...(await readSecretKeys(directory, { ignoreDenied: readOnly }))];
  if (keys.length > 0) return keys;
  if (readOnly) return [randomBytes(KEY_BYTES)];
  await createSecretKey(directory);
  return readSecretKeys(directory);
}

/**
 * Creates a directory's `secret.key` file, readable only by its owner, unless it exists. Links a finished temporary
 * file, so that the key file is never partial, and concurrent processes share the key of the first.
 */
async function createSecretKey(directory: string): Promise<void> {
  const path = keyPath(directory);
  const temporaryPath = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporaryPath, "wx", 0o600);
    try {
      await file.writeFile(randomBytes(KEY_BYTES).toString("base64url"));
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporaryPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

function keyPath(directory: string): string {
  return join(directory, "secret.key");
}
