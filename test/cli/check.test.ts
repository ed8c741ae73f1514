import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { beforeAll, expect, it } from "vitest";
import { damageFreelist } from "../support/damaged-structure.js";
import { writeDatabase } from "../support/database.js";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const directory = join(folder, "kb");
let jobId = "";

beforeAll(async () => {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Default", slug: "default" });
  jobId = await ingestTexts(kb.namespace("default"), ["The lamp is lit at dusk.", "The oil is changed at six."]);
  await kb.close();
});

const check = (...flags: string[]) => lorebaseHere(["check", "-d", directory, ...flags]);

/** The files of a directory and what is in them. */
function contentOf(path: string): ReadonlyMap<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return new Map(paths.map((file) => [file, readFileSync(file, "base64")]));
}

it("says that nothing is wrong", async () => {
  const { code, stdout } = await check();
  expect({ code, stdout }).toEqual({ code: 0, stdout: "checked 2 documents, 2 chunks, 0 files: nothing wrong\n" });
});

it("names what is wrong and what to do, and exits with 1", async () => {
  writeDatabase(directory, [
    { sql: "UPDATE chunks SET text = 'The oil is changed at ten.' WHERE text LIKE '%six%'" },
    { sql: "UPDATE scopes SET chunks = 9" },
  ]);
  const { code, stdout } = await check();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^doc_\w+: Its chunk 1 is not what was written.* \(the document has to be ingested again\)$/m);
  expect(stdout).toMatch(/^ns_\w+: The scope counts 9 chunks and has 2. \(lorebase check --repair builds it again\)$/m);
  expect(stdout).toContain(`ingest again:\n  lorebase jobs reingest ${jobId}\n`);
});

it("writes nothing with --read-only, and refuses to repair then", async () => {
  const before = contentOf(directory);
  const { code, stdout } = await check("--read-only");
  expect(contentOf(directory)).toEqual(before);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("Its chunk 1 is not what was written") });
  const refused = await check("--read-only", "--repair");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/--repair cannot be used with --read-only/) });
  const kb = new KnowledgeBase({ directory, readOnly: true });
  await expect(kb.check({ repair: true }).next()).rejects.toMatchObject({ code: "forbidden" });
  await kb.close();
});

it("says what to do about a damaged database file, and names no job to ingest again", async () => {
  const copy = join(folder, "copy");
  cpSync(directory, copy, { recursive: true });
  damageFreelist(join(copy, "lorebase.db"));
  const { code, stdout } = await lorebaseHere(["check", "-d", copy, "--read-only"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^database: SQLite: .*\nFreelist: /m);
  expect(stdout).toMatch(
    /\nthe database is damaged: stop what writes to it and copy it, then restore a backup, or .*\n$/,
  );
  expect(stdout).not.toContain("jobs reingest");
});

it("export names what is damaged, and leaves it out if asked", async () => {
  const bundle = join(folder, "bundle");
  const refused = await lorebaseHere(["export", bundle, "-d", directory]);
  expect([refused.code, existsSync(bundle)]).toEqual([1, false]);
  expect(refused.stderr).toMatch(/doc_\w+: Its chunk 1 is not what was written.*--skip-damaged/);
  const { code, stdout } = await lorebaseHere(["export", bundle, "-d", directory, "--skip-damaged"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/: 1 document, 1 passage\ndamaged and not in the bundle: doc_\w+: Its chunk 1 is not/);
  const imported = await lorebaseHere(["import", bundle, "-d", join(folder, "imported")]);
  expect(imported.stdout).toMatch(/: 1 document, 1 passage\ndamaged and not in the bundle: doc_/);
});

it("repairs, and reports as JSON", async () => {
  const first = await check("--repair", "--json");
  expect(JSON.parse(first.stdout)).toMatchObject({
    ok: false,
    repaired: 1,
    damaged: [{ ingestJobId: jobId, hasSource: true }],
  });
  expect((await lorebaseHere(["jobs", "reingest", jobId, "-d", directory])).code).toBe(0);
  const kb = new KnowledgeBase({ directory });
  await kb.drain();
  await kb.close();
  const { code, stdout } = await check("--json");
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, ok: true, findings: [] });
});

it("fails without a knowledge base", async () => {
  expect((await lorebaseHere(["check", "-d", join(directory, "none")])).code).toBe(1);
});

it("doctor names the first missing files, and says that a database cannot be read", async () => {
  const kb = join(folder, "files");
  const names = ["a.md", "b.md", "c.md", "d.md", "e.md"];
  for (const name of names) writeFileSync(join(folder, name), `The lamp ${name} is lit.`);
  const paths = names.map((name) => join(folder, name));
  expect((await lorebaseHere(["ingest", ...paths, "-d", kb, "--embedding", "MANAGED_LEXICAL"])).code).toBe(0);
  const checkFiles = async () => {
    const { stdout } = await lorebaseHere(["doctor", "--json", "-d", kb]);
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "files");
  };
  expect(await checkFiles()).toEqual({ name: "files", status: "ok", found: "5 files, none missing" });
  const database = join(kb, "lorebase.db");
  const whole = readFileSync(database);
  writeFileSync(database, Buffer.concat([Buffer.alloc(4096, 7), whole.subarray(4096)]));
  const damaged = await lorebaseHere(["doctor", "-d", kb]);
  expect([damaged.code, damaged.stderr]).toEqual([1, ""]);
  expect(damaged.stdout).toMatch(/FAILED +files +not checked, because lorebase.db cannot be read: .*not a database/);
  expect(damaged.stdout).toMatch(/FAILED +text recognition +not checked/);
  expect(damaged.stdout).toContain("run lorebase check");
  writeFileSync(database, whole);
  rmSync(join(kb, "blobs"), { recursive: true });
  expect(await checkFiles()).toMatchObject({
    status: "warning",
    found: expect.stringMatching(/^of 5 files, 5 missing: [a-e]\.md, [a-e]\.md, [a-e]\.md, and 2 more$/),
  });
});
