import type { BindingProblem } from "./binding-problem.js";
import type { PackageManager } from "./package-manager.js";
import { REBUILD_COMMAND } from "./rebuild-command.js";

const CAUSES: Readonly<Record<BindingProblem, string>> = {
  missing: "better-sqlite3 has no native binding: its install script did not run.",
  "other-node": `better-sqlite3's native binding was built for another version of Node than this one (${process.versions.node}).`,
  "other-platform": `better-sqlite3's native binding cannot be loaded on this system (${process.platform}-${process.arch}).`,
};

/** The cause in a sentence, and the command that fixes it. */
export function describeBindingProblem(
  problem: BindingProblem,
  manager: PackageManager,
): { readonly cause: string; readonly cure: string } {
  return { cause: CAUSES[problem], cure: REBUILD_COMMAND[manager] };
}
