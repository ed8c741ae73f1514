import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseFile } from "lorebase/parse";
import { makeDocx, makePdf, pdfLines, wordParagraph, wordTable } from "../test/support/make-files.js";
import { type ParsePass, ParseProcess, PEERS_FOLDER } from "./parse-process.js";
import { isInstalled, LOREBASE, OFFICEPARSER, type ParseSystem, PDF_SYSTEMS } from "./parse-systems.js";
import { makeTexts } from "./texts.js";

const FILES = 20;
const PAGES = 5;
const IMPORTS = 5;
const WARM_PASSES = 5;

/**
 * Measures parsing on one core, each system in a process of its own, and the import time of the library and
 * officeparser. The systems take turns: `cold` is the first pass over the files including the start of the process,
 * `warm` the median of later ones, `firstMs` the first file alone. Programs are started anew in each pass.
 * @param corpora A folder with `documents/pdf` and `documents/docx`, or with the files themselves; `null` to generate
 * files.
 */
export async function benchParse(corpora: string | null, log: (line: string) => void) {
  const work = await mkdtemp(join(tmpdir(), "lorebase-parse-"));
  try {
    if (corpora === null) await makeFiles(work);
    const folder = resolve(corpora ?? work);
    const pdfs = await filesIn(folder, "pdf");
    const docx = await filesIn(folder, "docx");
    log(`${pdfs.length} PDFs and ${docx.length} Word documents, ${corpora === null ? "generated" : `from ${folder}`}`);
    return {
      pdf: await compare(PDF_SYSTEMS, pdfs),
      docx: await compare({ lorebase: LOREBASE, officeparser: OFFICEPARSER }, docx),
      importMs: importMs(import.meta.resolve("lorebase")),
      importOfficeparserMs: importMs("officeparser"),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeFiles(folder: string): Promise<void> {
  for (const [i, text] of makeTexts(FILES, PAGES * 3000).entries()) {
    const lines = text.match(/.{1,90}(?:\s|$)/g) ?? [];
    const perPage = Math.ceil(lines.length / PAGES);
    const pages = Array.from({ length: PAGES }, (_, page) => [
      { text: `Chapter ${page + 1}`, x: 50, y: 80, size: 16, bold: true },
      ...pdfLines(lines.slice(page * perPage, (page + 1) * perPage), 50, 110),
    ]);
    await writeFile(join(folder, `${i}.pdf`), await makePdf(pages));
    const rows = lines.slice(0, 20).map((line) => line.split(" ").slice(0, 4));
    const body = lines.map((line, at) => wordParagraph(line, at % 30 === 0 ? "Heading1" : undefined)).join("");
    await writeFile(join(folder, `${i}.docx`), makeDocx(body + wordTable(rows)));
  }
}

async function filesIn(folder: string, kind: string): Promise<readonly string[]> {
  const path = [join(folder, "documents", kind), folder].find(existsSync)!;
  return (await readdir(path)).filter((name) => name.endsWith(`.${kind}`)).map((name) => join(path, name));
}

async function compare(systems: Readonly<Record<string, ParseSystem>>, files: readonly string[]) {
  if (files.length === 0) return null;
  const pages = await pagesOf(files);
  const running = Object.entries(systems).map(([name, system]) => {
    const process = isInstalled(system) ? new ParseProcess(system, files) : null;
    return { name, process, passes: [] as ParsePass[] };
  });
  try {
    for (let pass = 0; pass <= WARM_PASSES; pass++)
      for (const { process, passes } of running) if (process !== null) passes.push(await process.pass());
  } finally {
    for (const { process } of running) process?.end();
  }
  return Object.fromEntries(
    running.map(({ name, passes }) => [name, passes.length === 0 ? "absent" : figuresOf(passes, pages)]),
  );
}

/** The pages of each file, which not every system tells. */
async function pagesOf(files: readonly string[]): Promise<readonly number[]> {
  const pages: number[] = [];
  for (const file of files) pages.push((await parseFile(file).catch(() => null))?.pages ?? 0);
  return pages;
}

function figuresOf(passes: readonly ParsePass[], pagesOfFiles: readonly number[]) {
  const { wasRead, firstMs } = passes[0]!;
  const files = wasRead.filter(Boolean).length;
  const pages = pagesOfFiles.reduce((sum, count, file) => sum + (wasRead[file] ? count : 0), 0);
  const rates = (some: readonly ParsePass[]) => {
    const seconds = median(some.map((pass) => pass.seconds));
    const cpuMs = median(some.map((pass) => pass.cpuSeconds)) * 1000;
    return {
      ...(pages === 0 ? {} : { pagesPerSecond: pages / seconds, cpuMsPerPage: cpuMs / pages }),
      msPerFile: (seconds * 1000) / files,
      cpuMsPerFile: cpuMs / files,
    };
  };
  return {
    files,
    pages,
    failed: wasRead.length - files,
    firstMs,
    cold: rates(passes.slice(0, 1)),
    warm: rates(passes.slice(1)),
    peakMb: passes.at(-1)!.peakMb,
  };
}

/** The median time of an import in new processes. */
function importMs(specifier: string): number {
  const code = `const started = performance.now(); await import(${JSON.stringify(specifier)});
console.log(performance.now() - started);`;
  const options = { encoding: "utf8", cwd: PEERS_FOLDER } as const;
  return median(
    Array.from({ length: IMPORTS }, () =>
      Number(spawnSync(process.execPath, ["--input-type=module", "-e", code], options).stdout || Number.NaN),
    ),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
