import type { PackageManager } from "./package-manager.js";

/**
 * The command that runs better-sqlite3's install script with a package manager, in the project's folder and any shell.
 */
export const REBUILD_COMMAND: Readonly<Record<PackageManager, string>> = {
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
