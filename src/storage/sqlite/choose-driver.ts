import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { KnowledgeBaseError } from "../../errors.js";
import { bindingProblemOf, describeBindingProblem } from "./binding-problem.js";
import { packageManagerOf } from "./package-manager.js";
import { unmetRequirement } from "./require-sqlite.js";
import { betterSqlite3Driver, nodeSqliteDriver, type SqliteDriver } from "./sqlite-driver.js";

export interface ChosenDriver {
  readonly driver: SqliteDriver;
  /** Why better-sqlite3 could not be used, and the command that makes it usable; `null` if nothing is wrong. */
  readonly problem: { readonly cause: string; readonly fix: string } | null;
}

/**
 * Since this version of Node, threads that have used better-sqlite3 12 may abort the process when they end
 * ("RemoveEnvironmentCleanupHook … Assertion failed"). better-sqlite3 13 does not, and needs Node 22.
 */
const FIRST_ABORTING_NODE = 24;

/**
 * Chooses better-sqlite3, or node:sqlite if better-sqlite3's native binding can't be loaded or may abort the process.
 *
 * @throws KnowledgeBaseError `unsupported`, with the cause and the command to run, if neither can be used
 */
export function chooseDriver(): ChosenDriver {
  if (Number(process.versions.node.split(".", 1)[0]) >= FIRST_ABORTING_NODE) {
    const driver = nodeSqliteDriver();
    if (driver !== null && unusableReason(driver) === null && !truncatesText(driver)) return { driver, problem: null };
  }
  try {
    return { driver: betterSqlite3Driver(), problem: null };
  } catch (error) {
    const bindingProblem = bindingProblemOf(error);
    if (bindingProblem === null) throw error;
    const problem = describeBindingProblem(bindingProblem, packageManagerOf(packageFolders(), readIfExists));
    const driver = nodeSqliteDriver();
    const reason = driver === null ? "it has no node:sqlite" : unusableReason(driver);
    if (driver !== null && reason === null) return { driver, problem };
    throw new KnowledgeBaseError(
      "unsupported",
      `${problem.cause} Run: ${problem.fix}\nOr use Node 22.22.3 or a later 22.x, or 24.15 or later, ` +
        `whose built-in node:sqlite replaces the binding. This is Node ${process.versions.node}: ${reason}.`,
      { cause: error },
    );
  }
}

/** Returns why an driver's SQLite cannot be used, as a clause; `null` if it can be used. */
function unusableReason(driver: SqliteDriver): string | null {
  const db = driver.open(":memory:", { readonly: false, timeout: 0 });
  try {
    return unmetRequirement(db);
  } finally {
    db.close();
  }
}

/** Returns whether an driver truncates text at the first NUL character, as in Node 22 and 24.15. */
function truncatesText(driver: SqliteDriver): boolean {
  const db = driver.open(":memory:", { readonly: false, timeout: 0 });
  try {
    return db.prepare("SELECT 'a' || char(0)").pluck().get() === "a";
  } finally {
    db.close();
  }
}

/** Returns the folder of better-sqlite3 and its parent folders, innermost first. */
function packageFolders(): readonly string[] {
  const folders: string[] = [];
  let folder = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));
  for (; folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders;
}

function readIfExists(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    // An unreadable file says nothing about the package manager; the error about the binding matters more.
    return null;
  }
}
