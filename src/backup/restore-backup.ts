import type { CallOptions } from "../types.js";
import type { BackupManifest } from "./manifest.js";

/**
 * Restores a backup that {@link KnowledgeBase.backup} made, into a directory that is missing or empty. Every file is
 * compared with its hash. Without a copy of `secret.key` in the backup, put the file into the directory or set
 * `masterKey`; otherwise a new key is created, and providers' keys have to be given again (`namespaces.setSecrets`).
 *
 * @throws KnowledgeBaseError `not_found` if there is no finished backup, `conflict` if the directory is not empty,
 * `store_failed` with the damaged file
 * @example
 * await restoreBackup("/backups/kb", "./restored");
 */
export async function restoreBackup(
  backup: string,
  directory: string,
  options: CallOptions = {},
): Promise<BackupManifest> {
  const { restoreBackup } = await import("./restore.js");
  return restoreBackup(backup, directory, options);
}
