import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const execute = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), "lorebase-package-"));
const folder = join(root, "app");
let tarball = "";

const SIX_LINES = `
const kb = new KnowledgeBase({ directory: ":memory:" });
await kb.namespaces.ensure({ name: "Handbook", slug: "handbook" });
const handbook = kb.namespace("handbook");
await handbook.ingest({ type: "TEXT", text: "The lamp is lit thirty minutes before sunset." }).done();
console.log(await handbook.search("When is the lamp lit?"));
await kb.close();
`;

beforeAll(async () => {
  const { stdout } = await execute("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root]);
  tarball = join(root, (JSON.parse(stdout) as [{ filename: string }])[0].filename);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const INSTALLATIONS = [
  { name: "with the optional dependency", more: [] },
  { name: "without it", more: ["--omit=optional"] },
];
/** The second installation removes from the first, which is the campaign's alone, what it is without. */
const tested = process.env.LOREBASE_TEST_INSTALLATIONS === "all" ? INSTALLATIONS : INSTALLATIONS.slice(1);

describe.each(tested)("installed $name", ({ more }) => {
  beforeAll(async () => {
    // Install scripts would compile better-sqlite3 for over a minute; the repository's own build of the same version is
    // copied instead. Nothing else in the tree needs its script to run.
    const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", ...more];
    await execute("npm", ["install", ...flags, tarball, "@types/node@20"], { cwd: folder });
    cpSync("node_modules/better-sqlite3/build", join(folder, "node_modules/better-sqlite3/build"), { recursive: true });
  }, 120_000);

  it("has the optional dependency only in its own case", () => {
    expect(existsSync(join(folder, "node_modules/@huggingface/transformers"))).toBe(more.length === 0);
  });

  it("runs from ESM", async () => {
    writeFileSync(join(folder, "quickstart.mjs"), `import { KnowledgeBase } from "lorebase";\n${SIX_LINES}`);
    await expectAnswer("quickstart.mjs");
  });

  it("runs from require()", async () => {
    const code = `const { KnowledgeBase } = require("lorebase");\n(async () => {${SIX_LINES}})();\n`;
    writeFileSync(join(folder, "quickstart.cjs"), code);
    await expectAnswer("quickstart.cjs");
  });

  it("has its other entries in both", async () => {
    const each = (load: string) =>
      `for (const entry of ["http", "parse", "crawl", "evaluate", "webhooks", "testing"]) console.log(Object.keys(${load}).length > 0);`;
    const imported = await node(["--input-type=module", "-e", each('await import("lorebase/" + entry)')]);
    const required = await node(["-e", each('require("lorebase/" + entry)')]);
    expect(imported.stdout + required.stdout).toBe("true\n".repeat(12));
  });

  it("type-checks with its declarations", async () => {
    writeFileSync(join(folder, "quickstart.mts"), `import { KnowledgeBase } from "lorebase";\n${SIX_LINES}`);
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: ["node"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["quickstart.mts"] }));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    const { stdout } = await execute(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  it("has a working command", async () => {
    const { stdout } = await execute("npx", ["--no-install", "lorebase", "doctor", "--json"], { cwd: folder });
    expect((JSON.parse(stdout) as { ok: boolean }).ok).toBe(true);
  });

  const node = (args: readonly string[]) => execute(process.execPath, args, { cwd: folder });

  async function expectAnswer(file: string): Promise<void> {
    const { stdout } = await node([file]);
    expect(stdout).toContain("The lamp is lit thirty minutes before sunset.");
    expect(stdout).toMatch(/score: (0\.\d+|1)\b/);
  }
});
