import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { checkStorage } from "../resources/check/check.js";
import { openDatabaseFile } from "../storage/database-files.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions } from "../types.js";
import type { BackupManifest } from "./manifest.js";
import { restoreContents } from "./restore.js";

/** The maximum number of problems that an error lists. */
const MAX_LISTED = 20;

/**
 * Restores what a manifest names, which may not be written yet, into a temporary directory, which is removed afterwards,
 * and checks what was restored as {@link checkStorage} does. Restoring compares the files with their hashes.
 *
 * @throws KnowledgeBaseError `store_failed` that lists the problems, and the errors of restoring
 */
export async function verifyBackup(backup: string, manifest: BackupManifest, options: CallOptions = {}): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-verify-"));
  try {
    const restored = await restoreContents(backup, manifest, directory, options);
    const storage = await openDatabaseFile(join(directory, "lorebase.db"));
    try {
      const problems = [
        ...restored.missingFiles
          .filter((key) => !restored.damagedFiles.includes(key))
          .map((key) => `The file ${key} is missing or differs from its hash.`),
        ...(await checkCounts(storage, restored)),
        ...(await checkContent(storage, options)),
      ];
      if (problems.length === 0) return;
      const listed = problems.slice(0, MAX_LISTED).join(" ");
      const more = problems.length > MAX_LISTED ? ` And ${problems.length - MAX_LISTED} more.` : "";
      throw new KnowledgeBaseError("store_failed", `The backup in ${backup} is damaged: ${listed}${more}`);
    } finally {
      await storage.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function checkCounts({ contents }: Storage, { counts }: BackupManifest): Promise<readonly string[]> {
  const found = await contents.count();
  return (Object.keys(counts) as (keyof typeof counts)[])
    .filter((name) => counts[name] !== found[name])
    .map((name) => `There are ${found[name]} ${name} instead of ${counts[name]}.`);
}

async function checkContent(storage: Storage, options: CallOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const event of checkStorage(storage, options)) {
    if (event.type !== "finding") continue;
    const { documentId, message } = event.finding;
    problems.push(documentId === null ? message : `${documentId}: ${message}`);
  }
  return problems;
}
