import type { CallOptions } from "../types.js";
import type { RestoredBackup } from "./restore.js";

/**
 * Restores a backup that {@link KnowledgeBase.backup} made, into a directory that is missing or empty. Every file is
 * compared with its hash; one that is missing or damaged in the backup is left out and listed as `missingFiles`. Without
 * a copy of `secret.key` in the backup, put the file into the directory or set `masterKey`; otherwise
 * a new key is created, and providers' keys have to be given again (`namespaces.setSecrets`).
 *
 * @throws KnowledgeBaseError `not_found` if there is no finished backup, `conflict` if the directory is not empty,
 * `store_failed` if the database is damaged
 * @example
 * const { missingFiles } = await restoreBackup("/backups/kb", "./restored");
 */
export async function restoreBackup(
  backup: string,
  directory: string,
  options: CallOptions = {},
): Promise<RestoredBackup> {
  const { restoreBackup } = await import("./restore.js");
  return restoreBackup(backup, directory, options);
}
