/** The package manager, and whether it blocks better-sqlite3's install script until it is approved. */
export type PackageManager = "npm" | "pnpm" | "pnpm-unapproved" | "yarn" | "yarn-classic" | "bun";

/** Reads a file in a folder; `null` if there is none. */
export type ReadFile = (folder: string, name: string) => string | null;

/**
 * Detects the package manager by the files that it leaves behind; npm by default.
 *
 * @param folders The folder of better-sqlite3 and its parents, innermost first.
 */
export function packageManagerOf(folders: readonly string[], read: ReadFile): PackageManager {
  for (const folder of folders) {
    const found = inFolder(folder, read);
    if (found) return found;
  }
  return "npm";
}

function inFolder(folder: string, read: ReadFile): PackageManager | null {
  const has = (name: string) => read(folder, name) !== null;
  const pnpm = read(folder, ".modules.yaml");
  if (pnpm !== null) return awaitsApproval(pnpm) ? "pnpm-unapproved" : "pnpm";
  if (has(".yarn-state.yml") || has(".pnp.cjs")) return "yarn";
  if (has(".yarn-integrity")) return "yarn-classic";
  if (has(".package-lock.json")) return "npm";
  if (has("bun.lock") || has("bun.lockb")) return "bun";
  return null;
}

/** pnpm writes this file as JSON or YAML; both list `better-sqlite3@<version>`. */
function awaitsApproval(modules: string): boolean {
  return /["']?ignoredBuilds["']?:\s*(?:\[[^\]]*|(?:\n?\s*-[^\n]*)*)better-sqlite3@/.test(modules);
}
