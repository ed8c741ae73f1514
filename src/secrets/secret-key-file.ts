import { randomBytes, randomUUID } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { KEY_BYTES, parseMasterKey } from "./master-key.js";

/**
 * The keys of a directory's `secret.key`, one a line; the first is the one to use.
 * @returns none where there is no such file
 * @throws KnowledgeBaseError `not_ready` for a file that holds anything else
 */
export async function readSecretKeys(directory: string): Promise<readonly Uint8Array[]> {
  const path = pathIn(directory);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return [];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const keys = lines.flatMap((line) => parseMasterKey(line) ?? []);
  if (keys.length > 0 && keys.length === lines.length) return keys;
  throw new KnowledgeBaseError(
    "not_ready",
    `${path} does not hold a key of ${KEY_BYTES} bytes on each line: restore it from where it was backed up.`,
  );
}

/**
 * Makes a directory's `secret.key`, readable by its owner only. Written beside its place and linked there whole: nobody reads a part, a
 * kill leaves none, and of two makers the first decides.
 */
export async function makeSecretKey(directory: string): Promise<void> {
  const path = pathIn(directory);
  const partial = `${path}.${randomUUID()}`;
  try {
    const file = await open(partial, "wx", 0o600);
    try {
      await file.writeFile(randomBytes(KEY_BYTES).toString("base64url"));
      await file.sync();
    } finally {
      await file.close();
    }
    await link(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

function pathIn(directory: string): string {
  return join(directory, "secret.key");
}
