import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.js";

const execute = promisify(execFile);
// Run below: the quickstart keeps what it makes, and `start.ts` serves until it is stopped.
const OTHERS = ["make-data.ts", "quickstart.ts", "start.ts"];
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts") && !OTHERS.includes(name));

/** What each example prints, in part: enough to see that it did what it says. */
const prints: Record<string, readonly RegExp[]> = {
  "background-worker.ts": [/queued job_…, found 0 passages/, /COMPLETED, found 1 passage/],
  "custom-embedder.ts": [/provider: 'LETTERS'/, /1\.000 listen/],
  "delete-and-reingest.ts": [/boat-and-weather/, /COMPLETED, \d+ chunks under the same ids/, /0 documents left/],
  "demo.ts": [
    /volunteer-handbook\.pdf +3 pages/,
    /Embedder: MANAGED_/,
    /Why: /,
    /answer +Crossings stop when the mean wind [^|]*? at\s+the\s+harbour\s+mast\.\n +boat-and-weather\.md, "/,
    /To search and ask on a page, type npm start/,
    /semantic +0\.\d{3} {2}\S/,
    /volunteer-handbook\.pdf · pages 1–2 · .*3\.1 How many people must be on duty/,
    /visitor-guide\.docx · .*Cancellations and refunds/,
    /boat-and-weather\.md · .*When we sail and when we do not/,
  ],
  "evaluate.ts": [/words \{ mean: 1, low: 1, high: 1 \}/, /both − words, nDCG@10: 0\.000, p = 1/],
  "hybrid-search.ts": [/keyword\n {2}\d/, /hybrid\n {2}\d/, /derrick/],
  "ingest-files.ts": [
    /COMPLETED {2}3 documents/,
    /volunteer-handbook\.pdf {2}application\/pdf, 3 pages/,
    /notice\.txt/,
  ],
  "metadata-filters.ts": [/\{"tags":\{"\$all":\["path","ice"\]\}\}\n {2}The path to the landing is icy/],
  "progress.ts": [/200 of 200 documents/, /job COMPLETED/, /stopped waiting: AbortError/],
  "read-chunks.ts": [/page 2 /, /assembly point/],
  "tenants.ts": [/skerrin\n {2}Fog from four[^\n]*\nmarrow\n {2}Fog at noon[^\n]*\nno tenant\n {2}All stations/],
};

describe("every example runs", () => {
  /** What each example prints. They run in one process, since starting it takes longer than most of them. */
  const printed = new Map<string, string>();
  beforeAll(async () => {
    const runs = examples.map((name) => `console.log("\\0${name}\\0"); await import("./examples/${name}");`).join("\n");
    const command = ["--import", "tsx", "--input-type=module", "--eval", runs];
    const env = { ...process.env, TSX_TSCONFIG_PATH: "examples/tsconfig.json" };
    const { stdout } = await execute(process.execPath, command, { env });
    const [, ...parts] = stdout.split("\0");
    for (const [index, part] of parts.entries()) if (index % 2 === 1) printed.set(parts[index - 1]!, part);
  }, 180_000);

  it.each(examples)("%s", (name) => {
    for (const part of prints[name] ?? [/expected output is missing from this test/])
      expect(printed.get(name)).toMatch(part);
  });
});

it("examples/README.md lists every example", () => {
  const page = readFileSync("examples/README.md", "utf8");
  const listed = [...page.matchAll(/^\| \[([\w-]+\.ts)\]/gm)].map(([, name]) => name!);
  expect(listed.sort()).toEqual([...examples, "quickstart.ts", "start.ts"].sort());
});

it("start.ts serves a page that answers, until it is stopped", async () => {
  const env = { ...process.env, TSX_TSCONFIG_PATH: "examples/tsconfig.json" };
  const child = spawn(process.execPath, ["--import", "tsx", "examples/start.ts", "--port", "0"], { env });
  const exited = once(child, "exit");
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes("/h/skerrin")) break;
  }
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/h\/skerrin/.exec(printed)!;
  expect(await (await fetch(`${url}?q=fog+signal`)).text()).toContain("light-and-fog-signal.html");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

it("the quickstart runs twice in one folder and finds its passage once", async () => {
  const env = { ...process.env, TSX_TSCONFIG_PATH: resolve("examples/tsconfig.json") };
  const command = ["--import", import.meta.resolve("tsx"), resolve("examples/quickstart.ts")];
  const cwd = temporaryDirectory();
  for (let round = 1; round <= 2; round++) {
    const { stdout } = await execute(process.execPath, command, { env, cwd });
    expect(stdout.match(/The lamp is lit thirty minutes before sunset\./g)).toHaveLength(1);
    expect(stdout).toMatch(/score: 0\.\d/);
  }
});

it("the README's quickstart is the example", () => {
  const readme = readFileSync("README.md", "utf8");
  const code = readFileSync("examples/quickstart.ts", "utf8");
  expect(readme).toContain(`\`\`\`ts\n${code}\`\`\``);
});
