import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileBlobStore } from "../blob-stores/file/blob-store.js";
import { KnowledgeBaseError } from "../errors.js";
import { openFileSnapshot } from "../storage/database-files.js";
import type { CallOptions } from "../types.js";
import { flushDirectory } from "../util/flush-directory.js";
import { copyFiles } from "./copy-files.js";
import { type BackupManifest, readManifest } from "./manifest.js";
import { RateLimit } from "./rate-limit.js";

/** Holds what is restored until all of it is there. */
const STAGING_FOLDER = ".restore";

/** What was restored. */
export interface RestoredBackup extends BackupManifest {
  /**
   * The keys of files that were not restored: those that the knowledge base had lost before the backup, and those that
   * are missing or damaged in the backup. A check of what was restored names their documents.
   */
  readonly missingFiles: readonly string[];
}

/**
 * Restores a backup into a directory that is missing or empty. Every file is compared with its hash. The database comes
 * last, so that an interrupted restore leaves no knowledge base.
 *
 * @throws KnowledgeBaseError `not_found` if there is no finished backup, `conflict` if the directory is not empty,
 * `store_failed` if the database is damaged
 */
export async function restoreBackup(
  backup: string,
  directory: string,
  options: CallOptions = {},
): Promise<RestoredBackup> {
  const manifest = await readManifest(backup);
  if (manifest) return restoreContents(backup, manifest, directory, options);
  const message = `${backup} has no finished backup: there is no manifest.json, which is written last.`;
  throw new KnowledgeBaseError("not_found", message);
}

/** Restores what a manifest names, which may not be written yet. */
export async function restoreContents(
  backup: string,
  manifest: BackupManifest,
  directory: string,
  { signal }: CallOptions,
): Promise<RestoredBackup> {
  await requireEmpty(directory);
  const staging = join(directory, STAGING_FOLDER);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    const database = join(staging, "lorebase.db");
    await restoreDatabase(backup, manifest, database, signal);
    const missingFiles = manifest.hasFiles ? await restoreFiles(backup, staging, signal) : [];
    if (manifest.hasSecretKey) await copyFile(join(backup, "secret.key"), join(staging, "secret.key"));
    const names = await readdir(staging);
    for (const name of names.filter((each) => each !== "lorebase.db"))
      await rename(join(staging, name), join(directory, name));
    await flushDirectory(directory);
    await rename(database, join(directory, "lorebase.db"));
    await flushDirectory(directory);
    return { ...manifest, missingFiles };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function requireEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = (await readdir(directory)).filter((name) => name !== "lost+found");
  if (names.length === 0) return;
  const reason = names.includes("lorebase.db")
    ? "has a knowledge base"
    : names.includes(STAGING_FOLDER)
      ? "has an unfinished restore: unless one is running, remove its contents"
      : `contains "${names[0]}"`;
  throw new KnowledgeBaseError("conflict", `${directory} ${reason}. Restore into an empty or new directory.`);
}

async function restoreDatabase(
  backup: string,
  { database }: BackupManifest,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const source = join(backup, database.file);
  const hash = createHash("sha256");
  const output = createWriteStream(target, { flags: "wx", mode: 0o600, flush: true });
  try {
    for await (const bytes of createReadStream(source, { signal })) {
      hash.update(bytes);
      if (!output.write(bytes)) await once(output, "drain", { signal });
    }
  } catch (cause) {
    output.destroy();
    if (signal?.aborted) throw cause;
    throw new KnowledgeBaseError("store_failed", `${source} could not be copied to ${target}.`, { cause });
  }
  output.end();
  await once(output, "close");
  if (hash.digest("hex") !== database.sha256)
    throw new KnowledgeBaseError("store_failed", `${source} is damaged: its content differs from its SHA-256.`);
}

/** Returns the keys of the files that are missing or damaged in the backup. */
async function restoreFiles(
  backup: string,
  staging: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const source = fileBlobStore({ directory: join(backup, "blobs") });
  const target = fileBlobStore({ directory: join(staging, "blobs") });
  const rate = new RateLimit(Number.POSITIVE_INFINITY);
  const records = await openFileSnapshot(join(staging, "lorebase.db"));
  try {
    return (await copyFiles(records, { source, target, rate, signal })).map(({ key }) => key);
  } finally {
    await records.close();
  }
}
