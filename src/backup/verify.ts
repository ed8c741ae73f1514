import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { checkDatabaseFile } from "../storage/database-files.js";
import type { CallOptions } from "../types.js";
import { restoreBackup } from "./restore.js";

/**
 * Restores a backup into a temporary directory, which is removed afterwards, and checks what was restored: hashes of all
 * files, SQLite's integrity and foreign keys, and the numbers of namespaces, documents, chunks and files.
 *
 * @throws KnowledgeBaseError `store_failed` that lists the problems, and the errors of restoring
 */
export async function verifyBackup(backup: string, options: CallOptions = {}): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-verify-"));
  try {
    const { counts } = await restoreBackup(backup, directory, options);
    const found = await checkDatabaseFile(join(directory, "lorebase.db"), options);
    const names = Object.keys(counts) as (keyof typeof counts)[];
    const problems = [
      ...found.problems,
      ...names
        .filter((name) => counts[name] !== found.counts[name])
        .map((name) => `there are ${found.counts[name]} ${name} instead of ${counts[name]}`),
    ];
    if (problems.length === 0) return;
    const message = `The backup in ${backup} is damaged: ${problems.join("; ")}.`;
    throw new KnowledgeBaseError("store_failed", message);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
