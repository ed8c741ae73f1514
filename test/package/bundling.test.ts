import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build, type Format } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const execute = promisify(execFile);
const ANSWER = "The lamp is lit thirty minutes before sunset.";
const QUICKSTART = `
import { KnowledgeBase } from "lorebase";
async function run() {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  const embeddingConfig = { provider: "MANAGED_STATIC" };
  await kb.namespaces.create({ name: "Handbook", slug: "handbook", embeddingConfig });
  const handbook = kb.namespace("handbook");
  await (await handbook.ingest({ type: "TEXT", text: "${ANSWER}" })).done();
  const [hit] = await handbook.search("When is the lamp lit?");
  console.log(hit.text);
  await kb.close();
}
run().catch((error) => console.log(error.code, error.message));
`;

interface Manifest {
  readonly optionalDependencies: object;
  readonly peerDependencies: object;
}

const folder = mkdtempSync(join(tmpdir(), "lorebase-bundling-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with the package and what it depends on, but none of the packages that are optional. */
beforeAll(() => {
  const modules = join(folder, "node_modules");
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const optional = new Set(Object.keys({ ...manifest.optionalDependencies, ...manifest.peerDependencies }));
  const link = (name: string): void => {
    if (optional.has(name)) return;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve("node_modules", name), join(modules, name));
  };
  for (const name of readdirSync("node_modules")) {
    if (name.startsWith(".") || name === "lorebase") continue;
    if (!name.startsWith("@")) link(name);
    else for (const scoped of readdirSync(join("node_modules", name))) link(`${name}/${scoped}`);
  }
  for (const path of ["dist", "models", "package.json"])
    cpSync(path, join(modules, "lorebase", path), { recursive: true });
  writeFileSync(join(folder, "app.mjs"), QUICKSTART);
});

async function bundle(format: Format, external: string[]): Promise<string> {
  const outfile = join(folder, `${format}-${external.length}.${format === "esm" ? "mjs" : "cjs"}`);
  const { warnings } = await build({
    entryPoints: [join(folder, "app.mjs")],
    bundle: true,
    platform: "node",
    format,
    external,
    outfile,
    // A module without an address is what this is about.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  return outfile;
}

describe.each(["esm", "cjs"] as const)("esbuild as %s, without the optional packages", (format) => {
  test("an app with the package as an external runs", async () => {
    const { stdout } = await execute(process.execPath, [await bundle(format, ["lorebase"])]);
    expect(stdout).toBe(`${ANSWER}\n`);
  });

  test("an app that bundles the package builds, and reports at run time what to change", async () => {
    const { stdout } = await execute(process.execPath, [await bundle(format, [])]);
    expect(stdout).toMatch(/^unsupported Lorebase's thread files .*--external:lorebase/);
  });
});
