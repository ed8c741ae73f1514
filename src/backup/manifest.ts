import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { flushDirectory } from "../util/flush-directory.js";
import { z } from "../vendor/zod.js";

const FILE_NAME = "manifest.json";
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const manifestSchema = z.object({
  format: z.literal("lorebase-backup"),
  version: z.literal(1),
  /** ISO 8601 in UTC: when the snapshot was taken. */
  createdAt: z.iso.datetime(),
  /** The version of the package that made the backup. */
  madeWith: z.string(),
  database: z.object({ file: z.string().regex(/^database-[0-9a-f]{16}\.db$/), bytes: count, sha256 }),
  counts: z.object({ namespaces: count, documents: count, chunks: count, files: count }),
  /** Whether the backup has the uploaded files, which it has unless they are stored outside of the directory. */
  hasFiles: z.boolean(),
  hasSecretKey: z.boolean(),
  /** The ids of the master keys that stored secrets are encrypted with. */
  keyIds: z.array(z.string()),
  /** Vector stores other than the database, with the number of namespaces whose vectors are there, and not in the backup. */
  vectorStores: z.array(z.object({ provider: z.string(), namespaces: count })).default([]),
  /** The keys of files that the knowledge base had lost or couldn't read, or that had changed since they were uploaded. */
  damagedFiles: z.array(z.string()),
});

/** What a backup has. It is the last file of a backup to be written: without it, a folder is no backup. */
export type BackupManifest = z.output<typeof manifestSchema>;

/**
 * Reads the manifest of a backup; returns `null` if there is none.
 * @throws KnowledgeBaseError `unsupported` for a manifest that this version can't read
 */
export async function readManifest(backup: string): Promise<BackupManifest | null> {
  const path = join(backup, FILE_NAME);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (text === null) return null;
  const { data, error } = manifestSchema.safeParse(tryParse(text));
  if (data) return data;
  const message = `${path} is damaged, or was written by a later version of lorebase: ${z.prettifyError(error)}`;
  throw new KnowledgeBaseError("unsupported", message);
}

/** Replaces the manifest of a backup, after everything it names was flushed to disk. */
export async function writeManifest(backup: string, manifest: BackupManifest): Promise<void> {
  const path = join(backup, FILE_NAME);
  const temporaryPath = `${path}.new`;
  const file = await open(temporaryPath, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
  await flushDirectory(backup);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema.
    return null;
  }
}
