import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileBlobStore } from "../blob-stores/file/blob-store.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { indexedVectors } from "../providers/vectors.js";
import { readSecretKeys } from "../secrets/secret-key-file.js";
import { keyIdOf } from "../secrets/secrets.js";
import { lockFile } from "../storage/database-files.js";
import type { StorageSnapshot } from "../storage/snapshot.js";
import type { CallOptions } from "../types.js";
import { flushDirectory } from "../util/flush-directory.js";
import { packageVersion } from "../util/package-version.js";
import { sha256Of } from "../util/sha256-of.js";
import { type CopyOptions, copyFiles, type StoredUpload, storedUploads } from "./copy-files.js";
import { type BackupManifest, readManifest, writeManifest } from "./manifest.js";
import { RateLimit } from "./rate-limit.js";
import { verifyBackup } from "./verify.js";

export interface BackupOptions extends CallOptions {
  /** The maximum number of bytes to copy per second, at least 65536. @default 33554432, 32 MiB */
  readonly bytesPerSecond?: number | undefined;
  /**
   * Whether the backup gets a copy of `secret.key`, with which the providers' keys in it can be decrypted. Without it,
   * keep the key elsewhere. Refused if the file lacks a key that secrets are encrypted with. @default false
   */
  readonly includeSecretKey?: boolean | undefined;
  /**
   * Whether to restore the backup into a temporary directory and check it there, which takes as much space again. The
   * files of an earlier backup in the folder are compared with their hashes first, and copied again if they have changed.
   * If a problem is found, the earlier backup stays.
   * @default false
   */
  readonly verify?: boolean | undefined;
}

/** Everything that can be in the folder of a backup, finished or not: SQLite leaves files if its process is killed. */
const OWN_NAMES =
  /^(?:manifest\.json(?:\.new)?|(?:database-[0-9a-f]{16}\.db|lock)(?:-journal|-wal|-shm)?|blobs|secret\.key)$/;
/** How often a snapshot is taken again because files were deleted before they were copied. */
const MAX_SNAPSHOTS = 10;

/**
 * Copies a knowledge base into a folder, which may have an earlier backup: then only new files are copied. The manifest
 * is replaced last, so that a backup that was interrupted leaves the earlier one.
 */
export async function createBackup(
  engine: Engine,
  target: string,
  { bytesPerSecond = 32 * 1024 * 1024, includeSecretKey = false, verify = false, signal }: BackupOptions,
): Promise<BackupManifest> {
  await prepareTarget(target);
  const unlock = await lockFile(join(target, "lock"));
  try {
    const rate = new RateLimit(bytesPerSecond);
    const store = fileBlobStore({ directory: join(target, "blobs") });
    const hasFiles = engine.options.blobs === undefined;
    const copying = hasFiles ? { source: engine.blobs, target: store, rate, signal } : null;
    // Most files are copied before the snapshot is taken, so that it soon has all files and can be open for a short time.
    if (copying) await copyFiles(engine.storage, { ...copying, compareHashes: verify });
    const { snapshot, createdAt, damagedFiles } = await takeSnapshot(engine, copying);
    const file = `database-${randomBytes(8).toString("hex")}.db`;
    let contents: Pick<BackupManifest, "counts" | "keyIds" | "vectorStores">;
    const keys = new Set<string>();
    try {
      const keyIds = (await snapshot.secrets.countByKey()).map(({ keyId }) => keyId);
      if (includeSecretKey) await requireSecretKey(engine, keyIds);
      await snapshot.copyTo(join(target, file), { bytesPerSecond, now: engine.now(), signal });
      if (hasFiles) for await (const { key } of storedUploads(snapshot, { signal })) keys.add(key);
      const stores = await snapshot.namespaces.countByVectorStore();
      const vectorStores = stores.filter(({ provider }) => provider !== indexedVectors.provider);
      contents = { counts: await snapshot.contents.count(), keyIds, vectorStores };
    } finally {
      await snapshot.close();
    }
    const manifest: BackupManifest = {
      format: "lorebase-backup",
      version: 1,
      createdAt,
      madeWith: packageVersion(),
      database: { file, ...(await flushAndHash(join(target, file), rate, signal)) },
      ...contents,
      hasFiles,
      hasSecretKey: includeSecretKey,
      damagedFiles,
    };
    // If it finds anything, the earlier backup stays, with its key.
    if (verify) await verifyBackup(target, { ...manifest, hasSecretKey: false }, { signal });
    if (includeSecretKey) await copySecretKey(engine, target);
    await flushDirectory(target);
    signal?.throwIfAborted();
    await writeManifest(target, manifest);
    await removeOldFiles(target, manifest, keys);
    return manifest;
  } finally {
    await unlock();
  }
}

/** @throws KnowledgeBaseError `conflict` if the folder has anything else than a backup */
async function prepareTarget(target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  await readManifest(target);
  const foreign = (await readdir(target)).find((name) => !OWN_NAMES.test(name) && name !== "lost+found");
  if (foreign === undefined) return;
  const message = `${target} contains "${foreign}", which is not part of a backup: choose an empty folder.`;
  throw new KnowledgeBaseError("conflict", message);
}

interface TakenSnapshot {
  readonly snapshot: StorageSnapshot;
  readonly createdAt: string;
  /** The keys of files that are missing, unreadable or changed although they were not deleted. */
  readonly damagedFiles: string[];
}

/**
 * Takes a snapshot and copies the files that are new in it. If one of them was deleted in the meantime, the snapshot
 * would name a file that no longer exists, and another is taken.
 */
async function takeSnapshot({ storage, now }: Engine, copying: CopyOptions | null): Promise<TakenSnapshot> {
  for (let attempt = 1; attempt <= MAX_SNAPSHOTS; attempt++) {
    copying?.signal?.throwIfAborted();
    const createdAt = new Date(now()).toISOString();
    const snapshot = await storage.openSnapshot();
    try {
      const failed = copying ? await copyFiles(snapshot, copying) : [];
      const isStored = async ({ key }: StoredUpload) => (await storage.uploads.get({ key }))?.state === "stored";
      const stored = await Promise.all(failed.map(isStored));
      if (!stored.includes(false)) return { snapshot, createdAt, damagedFiles: failed.map(({ key }) => key) };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    await snapshot.close();
  }
  const message = `Files were deleted faster than they could be copied, ${MAX_SNAPSHOTS} times: try again later.`;
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** Flushes a file to disk and reads it again. */
async function flushAndHash(path: string, rate: RateLimit, signal: AbortSignal | undefined) {
  const file = await open(path, "r+");
  try {
    await file.sync();
    const { size: bytes } = await file.stat();
    const content = rate.pass(file.createReadStream({ autoClose: false }), { signal });
    return { bytes, sha256: await sha256Of(content) };
  } finally {
    await file.close();
  }
}

/** @throws KnowledgeBaseError `not_found` if `secret.key` in the directory is missing or lacks one of the master keys */
async function requireSecretKey({ options }: Engine, keyIds: readonly string[]): Promise<void> {
  const path = join(options.directory, "secret.key");
  const keys = await readSecretKeys(options.directory);
  if (keys.length === 0) {
    const message = `includeSecretKey: there is no ${path}, because the option masterKey has the key. Keep it elsewhere.`;
    throw new KnowledgeBaseError("not_found", message);
  }
  const available = keys.map(keyIdOf);
  const missing = keyIds.filter((id) => !available.includes(id));
  if (missing.length === 0) return;
  throw new KnowledgeBaseError(
    "not_found",
    `includeSecretKey: ${path} lacks the master key ${missing.join(", ")}, which stored secrets are encrypted with. ` +
      "Keep it elsewhere, and back up without this option.",
  );
}

async function copySecretKey({ options }: Engine, target: string): Promise<void> {
  const text = await readFile(join(options.directory, "secret.key"));
  await writeFile(join(target, "secret.key"), text, { mode: 0o600, flush: true });
}

/** Removes what earlier or interrupted backups have left. */
async function removeOldFiles(target: string, manifest: BackupManifest, keys: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(target)) {
    const isOld = name.startsWith("database-") && name !== manifest.database.file;
    if (isOld || (name === "secret.key" && !manifest.hasSecretKey)) await rm(join(target, name), { force: true });
  }
  const blobs = join(target, "blobs");
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(blobs.length + 1).replaceAll("\\", "/");
    if (entry.isFile() && !keys.has(key)) await rm(path, { force: true });
  }
}
