import type { PackageManager } from "./package-manager.js";

/** The reason why better-sqlite3's native binding could not be loaded. */
export type BindingProblem = "missing" | "other-node" | "other-platform";

/** Returns why better-sqlite3's native binding could not be loaded; `null` if an error has another origin. */
export function bindingProblemOf(error: unknown): BindingProblem | null {
  if (!(error instanceof Error)) return null;
  if (error.message.startsWith("Could not locate the bindings file")) return "missing";
  if (!("code" in error) || error.code !== "ERR_DLOPEN_FAILED") return null;
  return error.message.includes("NODE_MODULE_VERSION") ? "other-node" : "other-platform";
}

/** Commands that run better-sqlite3's install script, to be run in the project's folder by any shell. */
const REBUILD_COMMANDS: Readonly<Record<PackageManager, string>> = {
  // npm 12 runs only the scripts that package.json allows; earlier versions ignore the field.
  npm: "npm pkg set allowScripts.better-sqlite3=true --json && npm rebuild better-sqlite3 --ignore-scripts=false",
  pnpm: "pnpm rebuild better-sqlite3",
  // `pnpm rebuild` skips packages that are not approved. pnpm 10 asks which to approve; later versions take the name.
  "pnpm-unapproved": "pnpm approve-builds better-sqlite3",
  // Yarn 4.14 and later run only the scripts that package.json or enableScripts allows.
  yarn: "npm pkg set dependenciesMeta.better-sqlite3.built=true --json && yarn rebuild better-sqlite3",
  "yarn-classic": "npm rebuild better-sqlite3 --ignore-scripts=false",
  bun: "bun pm trust better-sqlite3",
};

const PLATFORM = `${process.platform}-${process.arch}`;
const CAUSES: Readonly<Record<BindingProblem, string>> = {
  missing: "better-sqlite3 has no native binding: its install script did not run.",
  "other-node":
    `better-sqlite3's native binding was built for a different version of Node ` +
    `(this is ${process.versions.node}).`,
  "other-platform": `better-sqlite3's native binding cannot be loaded on this platform (${PLATFORM}).`,
};

/** Returns the cause of a problem, as a sentence, and the command that fixes the problem. */
export function describeBindingProblem(
  problem: BindingProblem,
  manager: PackageManager,
): { readonly cause: string; readonly fix: string } {
  return { cause: CAUSES[problem], fix: REBUILD_COMMANDS[manager] };
}
