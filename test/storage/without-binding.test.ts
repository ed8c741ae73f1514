import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTooOld } from "#dist/storage/sqlite/require-sqlite.js";

const folder = mkdtempSync(join(tmpdir(), "lorebase-no-binding-"));
const builtIn = process.getBuiltinModule("node:sqlite") !== undefined && !isTooOld(process.versions.sqlite ?? "0");

const SCRIPT = `
import { KnowledgeBase } from "./dist/index.js";
const kb = new KnowledgeBase({ directory: "data", defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
try {
  await kb.namespaces.create({ name: "Handbook", slug: "handbook" });
  const handbook = kb.namespace("handbook");
  await (await handbook.ingest({ type: "TEXT", text: "The lamp is lit thirty minutes before sunset." })).done();
  const second = await kb.namespaces.create({ name: "Twice", slug: "handbook" }).catch((error) => error.code);
  const [hit] = await handbook.search("When is the lamp lit?");
  console.log(JSON.stringify({ text: hit.text, second }));
} catch ({ code, message }) {
  console.log(JSON.stringify({ code, message }));
} finally {
  await kb.close();
}
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function node(...args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

beforeAll(() => {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync("node_modules")) {
    if (name !== "better-sqlite3" && !name.startsWith("."))
      symlinkSync(resolve("node_modules", name), join(modules, name));
  }
  for (const part of ["package.json", "lib"]) {
    cpSync(join("node_modules/better-sqlite3", part), join(modules, "better-sqlite3", part), { recursive: true });
  }
  writeFileSync(join(modules, ".modules.yaml"), '{ "ignoredBuilds": ["better-sqlite3@12.11.1"] }');
  cpSync("dist", join(folder, "dist"), { recursive: true });
  symlinkSync(resolve("models"), join(folder, "models"));
  cpSync("package.json", join(folder, "package.json"));
  writeFileSync(join(folder, "script.mjs"), SCRIPT);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CAUSE = "better-sqlite3 has no native binding: its install script did not run.";
const CURE = "pnpm approve-builds better-sqlite3";

describe.runIf(builtIn)("without better-sqlite3's binding, with a node:sqlite that is new enough", () => {
  it("a knowledge base works, and nothing is printed", async () => {
    const { code, stdout, stderr } = await node("script.mjs");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({ text: "The lamp is lit thirty minutes before sunset.", second: "conflict" });
  });

  it("lorebase doctor names the engine, the cause and the command", async () => {
    const { code, stdout, stderr } = await node("dist/cli/main.js", "doctor", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string }[] };
    const found = `${process.versions.sqlite} (node:sqlite): ${CAUSE}`;
    expect(checks).toContainEqual({ name: "SQLite", status: "warning", found, cure: CURE });
  });
});

describe.runIf(!builtIn)(`without better-sqlite3's binding, with Node ${process.versions.node}`, () => {
  it("the first call names the cause and the command", async () => {
    const { code, message } = JSON.parse((await node("script.mjs")).stdout) as { code: string; message: string };
    expect(code).toBe("unsupported");
    expect(message).toContain(`${CAUSE} Run: ${CURE}\n`);
    expect(message).toContain("Or use Node 22.22.3 or a later 22.x, or 24.15 or later");
  });

  it.each([
    ["doctor", "stdout"],
    ["ingest package.json", "stderr"],
  ] as const)("so does lorebase %s", async (command, output) => {
    const ended = await node("dist/cli/main.js", ...command.split(" "));
    expect(ended.code).not.toBe(0);
    expect(ended[output]).toContain(`${CAUSE} Run: ${CURE}`);
  });
});
