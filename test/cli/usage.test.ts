import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();

describe("help and version", () => {
  it("lists the commands", async () => {
    const { code, stdout, stderr } = await lorebase(["--help"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    for (const command of [
      "ingest <paths...>",
      "crawl <url>",
      "search <query>",
      "explain <document> <query>",
      "serve",
      "keys revoke <id>",
      "eval <path>",
      "migrate",
      "doctor",
    ])
      expect(stdout).toContain(command);
    expect(stdout).toMatch(/^ {2}explain <document> <query> +explain why/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThan(110);
  });

  it("shows the options of a command", async () => {
    const { code, stdout } = await lorebaseHere(["search", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/-k, --top-k N/);
    expect(stdout).not.toMatch(/--chunk-size/);
  });

  it("explains what a command reads and what its exit code says", async () => {
    const { stdout } = await lorebaseHere(["eval", "--help"]);
    expect(stdout).toContain("questions:\n    - question: When is the lamp lit?\n      answers:\n");
    expect((await lorebaseHere(["ask", "--help"])).stdout).toMatch(/Without an answer .* exits with 0/);
  });

  it("aligns the descriptions of options, apart from the longest option", async () => {
    const { stdout } = await lorebase(["serve", "--help"]);
    const options = stdout.split("\n").filter((line) => /^ {2}(?:-\w, | {4})--/.test(line));
    expect(stdout).toContain("--frame-ancestor ORIGIN  site");
    expect(new Set(options.map((line) => line.lastIndexOf("  "))).size).toBe(1);
  });

  it("prints the package's version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect((await lorebase(["--version"])).stdout).toBe(`${version}\n`);
    expect(JSON.parse((await lorebaseHere(["--version", "--json"])).stdout)).toEqual({ version });
  });
});

describe("an invalid command line exits with 2", () => {
  it.each([
    [
      [],
      /no command given; known: ingest, crawl, sync, search, passages, ask, explain, namespaces, documents, jobs, serve, work, mcp, keys, quota, feedback, golden, health, webhooks, export, import, backup, restore, eval, migrate, doctor/,
    ],
    [["serach", "x"], /unknown command "serach"; did you mean search\?/],
    [["search", "x", "--moed", "keyword"], /unknown option --moed; did you mean --mode\?/],
    [["doctor", "--mode", "keyword"], /doctor has no option --mode/],
    [["search"], /search needs <query>/],
    [["ingest"], /ingest needs <paths\.\.\.>/],
    [["eval", "a", "b"], /eval does not take "b"/],
    [["search", "x", "--mode", "keywrod"], /--mode must be one of .*, not "keywrod"; did you mean keyword\?/],
    [["search", "x", "--top-k", "0"], /--top-k must be a whole number of at least 1, not "0"/],
    [["search", "x", "--filter", "{a:1}"], /--filter is not JSON: \{a:1\}/],
    [["search", "x", "--filter", "[1]"], /--filter must be a JSON object/],
    [["serve", "--port", "70000"], /--port must be a whole number from 0 to 65535, not "70000"/],
    [["serve", "kb"], /serve does not take "kb"/],
    [["ingest", "x", "--model", "y"], /--model needs --embedding/],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await lorebaseHere(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("prints the error as JSON with --json", async () => {
    const { code, stdout } = await lorebase(["search", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: { code: "usage", message: "search needs <query>" } });
  });
});

describe("a failed command exits with 1", () => {
  it("names a missing path", async () => {
    const { code, stderr } = await lorebase(["ingest", "missing.pdf"], { cwd: folder });
    expect(stderr).toContain("missing.pdf: no such file or folder");
    expect(code).toBe(1);
  });

  it("does not create a knowledge base by searching", async () => {
    const { code, stderr } = await lorebase(["search", "tide", "-d", "nowhere"], { cwd: folder });
    expect(stderr).toContain("there is no knowledge base in nowhere");
    expect(code).toBe(1);
  });
});

describe("doctor", () => {
  it("prints each check as text and as JSON", async () => {
    const people = await lorebase(["doctor"], { cwd: folder });
    expect(people.code).toBe(0);
    expect(people.stdout).toContain(process.versions.node);
    const { code, stdout } = await lorebase(["doctor", "--json", "--directory", "kb"], { cwd: folder });
    const report = JSON.parse(stdout) as { ok: boolean; checks: { name: string; status: string; found: string }[] };
    expect(code).toBe(0);
    expect(report.ok).toBe(true);
    const names = [
      "Node",
      "SQLite",
      "sqlite-vec",
      "transformer models",
      "text recognition",
      "models",
      "directory",
      "disk",
      "files",
    ];
    expect(report.checks.map((check) => check.name)).toEqual(names);
  });

  it("fails if the directory cannot be created", async () => {
    writeFileSync(join(folder, "file"), "");
    const { code, stdout } = await lorebase(["doctor", "--directory", "file/kb"], { cwd: folder });
    expect(stdout).toMatch(/FAILED {2}directory/);
    expect(code).toBe(1);
  });
});
