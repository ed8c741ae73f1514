import { exec } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { makePdf } from "../support/make-files.js";
import { INSTALL_CASES, type InstallCase, PROBE_SCRIPT } from "./install-cases.js";

// npm run campaign:install -- [--only TEXT]: what an installation of the packed package does, as a table. Takes the registry, and a
// compiler where better-sqlite3 has no prebuilt binary that can be downloaded.
const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const execute = promisify(exec);
const root = mkdtempSync(join(tmpdir(), "lorebase-install-"));
const pack = await execute(`npm pack --json --ignore-scripts --pack-destination ${root}`, { maxBuffer: 2 ** 24 });
const tarball = join(root, (JSON.parse(pack.stdout) as [{ filename: string }])[0].filename);
const pdf = await makePdf([[{ text: "The harbour is quiet in the morning.", x: 60, y: 90, size: 12 }]]);

console.log("| | size | install | text | PDF | embedder |\n| --- | --- | --- | --- | --- | --- |");
for (const one of INSTALL_CASES.filter(({ name }) => name.includes(values.only))) {
  const folder = mkdtempSync(join(root, "case-"));
  console.log(`| ${[one.name, ...(await resultOf(one, folder))].join(" | ")} |`);
  rmSync(folder, { recursive: true, force: true });
}
rmSync(root, { recursive: true, force: true });

/** Size, seconds, and what the probe found or why nothing was. */
async function resultOf(one: InstallCase, folder: string): Promise<string[]> {
  const shell = (command: string) =>
    execute(command.replaceAll("TARBALL", tarball), { cwd: folder, maxBuffer: 2 ** 26, env: hostEnvironment() });
  for (const [path, text] of Object.entries({ "package.json": '{ "private": true }', ...one.files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, "probe.mjs"), PROBE_SCRIPT);
  writeFileSync(join(folder, "a.pdf"), pdf);
  const begin = performance.now();
  const measured: string[] = [];
  try {
    for (const command of one.install) await shell(command);
    const seconds = ((performance.now() - begin) / 1000).toFixed(0);
    const build = "node_modules/better-sqlite3/build";
    if (one.withBuild === true) cpSync(build, join(folder, build), { recursive: true });
    measured.push(`${(diskUse(join(folder, "node_modules")) / 1e6).toFixed(0)} MB`, `${seconds} s`);
    let output = "";
    for (const command of one.run) output = (await shell(command)).stdout;
    const found = JSON.parse(output.trim().split("\n").at(-1)!) as Record<string, unknown>;
    return [...measured, ...cellsOf(found)];
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    const lines = stderr.split("\n").filter((line) => /error/i.test(line));
    return [...[...measured, "", ""].slice(0, 2), lines[0] ?? message.split("\n", 1)[0]!, "", ""];
  }
}

function cellsOf({ text, pdf, embedder, error }: Record<string, unknown>): string[] {
  if (error !== undefined) return [String(error), "", ""];
  return [text === true ? "found" : "not found", pdf === true ? "found" : "not found", String(embedder)];
}

/** Without what npm sets for the script that runs this: settings of this repository. */
function hostEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return { ...Object.fromEntries(own), NEXT_TELEMETRY_DISABLED: "1" };
}

/** Bytes on the disk; a file with several names counts once. */
function diskUse(folder: string, seen = new Set<number>()): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { blocks, ino } = lstatSync(path);
    if (seen.has(ino)) continue;
    seen.add(ino);
    bytes += blocks * 512 + (entry.isDirectory() ? diskUse(path, seen) : 0);
  }
  return bytes;
}
