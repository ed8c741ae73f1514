import { spawnSync } from "node:child_process";
import { hasPeer } from "./search/peer.js";

/** What the benchmark `parse` compares. */
export interface ParseSystem {
  /** A package of `bench/peers`. */
  readonly peer?: string;
  /** A program that does the work, and its option that prints the version. */
  readonly program?: readonly [name: string, option: string];
  /** The body of a module that declares `readAll(files)`, which tells of each file whether it was read. */
  readonly code: string;
}

export const LOREBASE: ParseSystem = {
  code: oneByOne(
    `const { parseFile } = await import(${JSON.stringify(import.meta.resolve("lorebase/parse"))});`,
    "await parseFile(file);",
  ),
};

export const OFFICEPARSER: ParseSystem = {
  peer: "officeparser",
  code: oneByOne(`const { parseOffice } = await import("officeparser");`, "(await parseOffice(file)).toText();"),
};

export const PDF_SYSTEMS: Readonly<Record<string, ParseSystem>> = {
  lorebase: LOREBASE,
  pdftotext: {
    program: ["pdftotext", "-v"],
    code: oneByOne(
      `const { execFile } = await import("node:child_process");
const run = (await import("node:util")).promisify(execFile);`,
      `await run("pdftotext", [file, "-"], { maxBuffer: 2 ** 28 });`,
    ),
  },
  "pdf-parse": {
    peer: "pdf-parse",
    code: oneByOne(
      `const { PDFParse } = await import("pdf-parse");
const { readFile } = await import("node:fs/promises");`,
      `const pdf = new PDFParse({ data: new Uint8Array(await readFile(file)) });
try { await pdf.getText(); } finally { await pdf.destroy(); }`,
    ),
  },
  unpdf: {
    peer: "unpdf",
    code: oneByOne(
      `const { getDocumentProxy, extractText } = await import("unpdf");
const { readFile } = await import("node:fs/promises");`,
      `const pdf = await getDocumentProxy(new Uint8Array(await readFile(file)));
try { await extractText(pdf, { mergePages: true }); } finally { await pdf.loadingTask.destroy(); }`,
    ),
  },
  officeparser: OFFICEPARSER,
  // One JVM for all files of a pass, as its README advises. Images would be written to files, which no other does.
  opendataloader: {
    peer: "@opendataloader/pdf",
    program: ["java", "-version"],
    code: `const { convert } = await import("@opendataloader/pdf");
const { mkdtemp, readdir, rm } = await import("node:fs/promises");
const { basename, join } = await import("node:path");
const { tmpdir } = await import("node:os");
async function readAll(files) {
  const outputDir = await mkdtemp(join(tmpdir(), "lorebase-parse-"));
  try {
    // It rejects if one of the files fails.
    await convert(files, { outputDir, format: "markdown", imageOutput: "off" }).catch(() => {});
    const written = await readdir(outputDir);
    return files.map((file) => written.includes(basename(file, ".pdf") + ".md"));
  } finally {
    await rm(outputDir, { recursive: true });
  }
}`,
  },
};

/** Whether the package and the program of a system are there. */
export function isInstalled({ peer, program }: ParseSystem): boolean {
  return (
    (peer === undefined || hasPeer(peer)) &&
    (program === undefined || spawnSync(program[0], [program[1]]).error === undefined)
  );
}

function oneByOne(imports: string, read: string): string {
  return `${imports}
async function readAll(files) {
  const wasRead = [];
  for (const file of files) {
    const began = performance.now();
    try { ${read} wasRead.push(true); } catch { wasRead.push(false); }
    firstMs ??= performance.now() - began;
  }
  return wasRead;
}`;
}
