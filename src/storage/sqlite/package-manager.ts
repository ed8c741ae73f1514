/** Who installed the packages, and whether it holds back better-sqlite3's install script until somebody approves it. */
export type PackageManager = "npm" | "pnpm" | "pnpm-unapproved" | "yarn" | "yarn-classic" | "bun";

/** A file that a package manager leaves in a folder, or `null` if there is none. */
export type ReadFile = (folder: string, name: string) => string | null;

/**
 * Tells by the files that a package manager leaves behind; npm where there are none.
 *
 * @param folders The folder of better-sqlite3 and those above it, innermost first.
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

/** pnpm writes this file as JSON or as YAML; in both the list is of `better-sqlite3@<version>`. */
function awaitsApproval(modules: string): boolean {
  return /["']?ignoredBuilds["']?:\s*(?:\[[^\]]*|(?:\n?\s*-[^\n]*)*)better-sqlite3@/.test(modules);
}
