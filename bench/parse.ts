import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDocx, makePdf, pdfLines, wordParagraph, wordTable } from "../test/support/make-files.js";
import { makeTexts } from "./texts.js";

const FILES = 20;
const PAGES = 5;
const IMPORTS = 5;

// System programs, which may be missing.
const TASKSET = "taskset";
const PDFTOTEXT = "pdftotext";

/**
 * Measures parsing on one core, each format in a new process, compared with other programs if they are installed, and
 * the import time of the library and officeparser. `cold` is the first pass over the files including the start of the
 * process, `warm` the second pass, `firstMs` the first file alone.
 * @param corpora A folder with `documents/pdf` and `documents/docx`; `null` to generate files.
 */
export async function benchParse(corpora: string | null, log: (line: string) => void) {
  const work = await mkdtemp(join(tmpdir(), "lorebase-parse-"));
  try {
    const folder = corpora === null ? await makeFiles(work) : join(corpora, "documents");
    const pdfs = await filesIn(folder, "pdf");
    const docx = await filesIn(folder, "docx");
    log(`${pdfs.length} PDFs and ${docx.length} Word documents, ${corpora === null ? "generated" : `from ${folder}`}`);
    return {
      pdf: {
        lorebase: ratesOf(onOneCore(process.execPath, parseScript(LOREBASE), pdfs)),
        pdftotext: pdftotext(pdfs),
        officeparser: ratesOf(onOneCore(process.execPath, parseScript(OFFICEPARSER), pdfs)),
      },
      docx: {
        lorebase: ratesOf(onOneCore(process.execPath, parseScript(LOREBASE), docx)),
        officeparser: ratesOf(onOneCore(process.execPath, parseScript(OFFICEPARSER), docx)),
      },
      importMs: medianMs(`await import(${JSON.stringify(import.meta.resolve("lorebase"))});`),
      importOfficeparserMs: medianMs(OFFICEPARSER),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeFiles(work: string): Promise<string> {
  for (const kind of ["pdf", "docx"]) await mkdir(join(work, kind));
  for (const [i, text] of makeTexts(FILES, PAGES * 3000).entries()) {
    const lines = text.match(/.{1,90}(?:\s|$)/g) ?? [];
    const perPage = Math.ceil(lines.length / PAGES);
    const pages = Array.from({ length: PAGES }, (_, page) => [
      { text: `Chapter ${page + 1}`, x: 50, y: 80, size: 16, bold: true },
      ...pdfLines(lines.slice(page * perPage, (page + 1) * perPage), 50, 110),
    ]);
    await writeFile(join(work, "pdf", `${i}.pdf`), await makePdf(pages));
    const rows = lines.slice(0, 20).map((line) => line.split(" ").slice(0, 4));
    const body = lines.map((line, at) => wordParagraph(line, at % 30 === 0 ? "Heading1" : undefined)).join("");
    await writeFile(join(work, "docx", `${i}.docx`), makeDocx(body + wordTable(rows)));
  }
  return work;
}

async function filesIn(folder: string, kind: string): Promise<readonly string[]> {
  const path = join(folder, kind);
  if (!existsSync(path)) return [];
  return (await readdir(path)).filter((name) => name.endsWith(`.${kind}`)).map((name) => join(path, name));
}

const PARSE_URL = new URL("../dist/parse.js", import.meta.url).href;
const LOREBASE = `const { parseFile } = await import(${JSON.stringify(PARSE_URL)});
const parse = async (file) => (await parseFile(file)).pages ?? 0;`;
const PEERS_URL = new URL("./peers/package.json", import.meta.url).href;
const OFFICEPARSER = `const { createRequire } = await import("node:module");
const { parseOffice } = createRequire(${JSON.stringify(PEERS_URL)})("officeparser");
const parse = async (file) => { (await parseOffice(file)).toText(); return 0; };`;

/** A script that parses its arguments twice and prints times as JSON. */
function parseScript(setup: string): readonly string[] {
  const code = `let started = 0, cpu = { user: 0, system: 0 };
${setup}
const passes = [];
let first = 0;
for (let pass = 0; pass < 2; pass++) {
  let files = 0, pages = 0, failed = 0;
  for (const file of process.argv.slice(1)) {
    const began = performance.now();
    try { pages += await parse(file); files++; } catch { failed++; }
    first ||= performance.now() - began;
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  passes.push({ files, pages, failed, seconds, cpuSeconds: (user + system) / 1e6 });
  [started, cpu] = [performance.now(), process.cpuUsage()];
}
console.log("\\n" + JSON.stringify({ passes, first, rssMb: process.resourceUsage().maxRSS / 1024 }));
process.exit();`;
  return ["--input-type=module", "-e", code, "--"];
}

interface Parsed {
  readonly passes: readonly [Pass, Pass];
  readonly first: number;
  readonly rssMb: number;
}

interface Pass {
  readonly files: number;
  readonly pages: number;
  readonly failed: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Runs a program, on one core if the system supports it. Returns `null` if it fails or is missing. */
function onOneCore(program: string, options: readonly string[], files: readonly string[]): string | null {
  const isBindable = spawnSync(TASKSET, ["-c", "0", "true"]).status === 0;
  const [command, ...rest] = [...(isBindable ? [TASKSET, "-c", "0"] : []), program, ...options, ...files];
  const { status, stdout } = spawnSync(command!, rest, { encoding: "utf8", maxBuffer: 1 << 28 });
  return status === 0 ? stdout : null;
}

function ratesOf(output: string | null) {
  const line = output?.trimEnd().split("\n").at(-1);
  if (line === undefined) return "absent";
  const { passes, first, rssMb }: Parsed = JSON.parse(line);
  const [{ files, pages, failed }] = passes;
  const [cold, warm] = passes.map(({ pages, seconds, cpuSeconds }) => ({
    ...(pages === 0 ? {} : { pagesPerSecond: pages / seconds, pagesPerCpuSecond: pages / cpuSeconds }),
    msPerFile: (seconds * 1000) / files,
    cpuMsPerFile: (cpuSeconds * 1000) / files,
  }));
  return { files, pages, failed, firstMs: first, cold, warm, rssMb };
}

function pdftotext(files: readonly string[]) {
  if (spawnSync(PDFTOTEXT, ["-v"]).error !== undefined) return "absent";
  const started = performance.now();
  const pages = files.reduce((sum, file) => {
    const text = onOneCore(PDFTOTEXT, [], [file, "-"]);
    return sum + (text?.split("\f").length ?? 1) - 1;
  }, 0);
  const seconds = (performance.now() - started) / 1000;
  return { files: files.length, pages, pagesPerSecond: pages / seconds, msPerFile: (seconds * 1000) / files.length };
}

/** The median time of a script in new processes. */
function medianMs(script: string): number {
  const code = `const started = performance.now(); ${script} console.log(performance.now() - started);`;
  const times = Array.from({ length: IMPORTS }, () =>
    Number(spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).stdout || Number.NaN),
  );
  return times.sort((a, b) => a - b)[IMPORTS >> 1]!;
}
