import { loadSqliteInspection } from "../create-engine.js";
import type { Command } from "./command.js";
import {
  type Check,
  checkBlobs,
  checkDirectory,
  checkDisk,
  checkModels,
  checkNode,
  checkSqlite,
  checkSqliteVec,
  checkTextRecognition,
  checkTransformers,
} from "./doctor-checks.js";
import { checkDatabase } from "./doctor-database-checks.js";
import { checkFiles } from "./doctor-files-check.js";
import { masterKeysOf } from "./environment-options.js";
import { resolveDirectory } from "./flag-values.js";
import { parseBlobs, parseDatabase } from "./storage-flags.js";
import type { Terminal } from "./terminal.js";

/** Checks whether this machine can run a knowledge base, and says what to do if not. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "check this machine, its database and its bucket",
  flags: ["directory", "database", "blobs"],
  async run({ flags, terminal }) {
    const directory = resolveDirectory(flags, terminal);
    const sqlite = loadSqliteInspection().then(({ inspectSqlite }) => inspectSqlite());
    const blobs = parseBlobs(flags, terminal);
    const database = parseDatabase(flags, terminal);
    const checks = await Promise.all([
      checkNode(),
      checkSqlite(sqlite),
      checkSqliteVec(sqlite),
      checkTransformers(),
      checkTextRecognition(directory),
      checkModels(directory),
      checkDirectory(directory),
      checkDisk(directory),
      ...(blobs ? [checkBlobs(blobs)] : []),
      ...(blobs || database !== undefined ? [] : [checkFiles(directory)]),
    ]);
    if (database !== undefined) checks.push(...(await checkDatabase(database, masterKeysOf(terminal))));
    const hasFailed = checks.some((check) => check.status === "failed");
    return {
      json: { ok: !hasFailed, checks },
      text: checks.map((check) => describeCheck(check, terminal)).join("\n"),
      exitCode: hasFailed ? 1 : 0,
    };
  },
};

function describeCheck(check: Check, terminal: Terminal): string {
  const labels = {
    ok: terminal.style("green", "ok    "),
    warning: terminal.style("yellow", "note  "),
    failed: terminal.style("red", "FAILED"),
  };
  const cure = check.cure === undefined ? "" : `\n${" ".repeat(28)}${check.cure}`;
  return `${labels[check.status]}  ${check.name.padEnd(18)}  ${check.found}${cure}`;
}
