/** A package manager. `pnpm-unapproved` is pnpm if it blocks better-sqlite3's install script until it is approved. */
export type PackageManager = "npm" | "pnpm" | "pnpm-unapproved" | "yarn" | "yarn-classic" | "bun";

/** Reads a file in a folder; returns `null` if there is no such file. */
export type FolderReader = (folder: string, name: string) => string | null;

/**
 * Detects the package manager by the files that it has written. Returns npm if there are none.
 *
 * @param folders The folder of better-sqlite3 and its parent folders, innermost first.
 */
export function packageManagerOf(folders: readonly string[], read: FolderReader): PackageManager {
  for (const folder of folders) {
    const manager = detectInFolder(folder, read);
    if (manager) return manager;
  }
  return "npm";
}

function detectInFolder(folder: string, read: FolderReader): PackageManager | null {
  const has = (name: string) => read(folder, name) !== null;
  const pnpm = read(folder, ".modules.yaml");
  if (pnpm !== null) return isUnapproved(pnpm) ? "pnpm-unapproved" : "pnpm";
  if (has(".yarn-state.yml") || has(".pnp.cjs")) return "yarn";
  if (has(".yarn-integrity")) return "yarn-classic";
  if (has(".package-lock.json")) return "npm";
  if (has("bun.lock") || has("bun.lockb")) return "bun";
  return null;
}

/**
 * Returns whether pnpm has ignored the install script. Its file is JSON or YAML and lists `better-sqlite3@<version>`.
 */
function isUnapproved(modulesFile: string): boolean {
  return /["']?ignoredBuilds["']?:\s*(?:\[[^\]]*|(?:\n?\s*-[^\n]*)*)better-sqlite3@/.test(modulesFile);
}
