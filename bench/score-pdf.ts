import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { browser } from "./printed/browser.js";
import { printedDocument, toMarkdown } from "./printed/documents.js";
import { latex } from "./printed/latex.js";
import type { Printer } from "./printed/printer.js";
import { scoreHeadings } from "./printed/score-headings.js";
import { scoreMergedCells } from "./printed/score-merged-cells.js";
import { writer } from "./printed/writer.js";

// Prints documents with a browser, LaTeX and LibreOffice Writer, and scores what the built parsers read from them with the
// scorer of a corpus: npm run score:pdf -- [--corpora DIR] [--documents 60] [--seed 1] [--printers browser,latex,writer]
// [--keep DIR]
const { values } = parseArgs({
  options: {
    corpora: { type: "string", default: "../shared/corpora" },
    documents: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    printers: { type: "string", default: "browser,latex,writer" },
    keep: { type: "string" },
    fails: { type: "string", default: "5" },
  },
});
const scorer = join(resolve(values.corpora), "score-pdf.mjs");

const printers = [browser, latex, writer].filter(({ name }) => values.printers.split(",").includes(name));
const missing = printers.filter((printer) => !printer.isInstalled()).map(({ name }) => name);

if (!existsSync(scorer))
  console.log(`Nothing to score: there is no scorer at ${scorer} (--corpora DIR names another folder).`);
else if (missing.length > 0)
  console.log(`Nothing to score: not installed: ${missing.join(", ")} (--printers NAMES chooses others).`);
else {
  const work = values.keep ?? (await mkdtemp(join(tmpdir(), "lorebase-score-")));
  try {
    const adapter = join(work, "adapter.mjs");
    const parse = new URL("../dist/parse.js", import.meta.url).href;
    await mkdir(work, { recursive: true });
    await writeFile(
      adapter,
      `import { parseFile } from ${JSON.stringify(parse)};
// How many dots lead from a title to its page number is left to the printer.
export default async (path) => (await parseFile(path)).markdown.replace(/(?:[.…·] ?){4,}/g, " ");
`,
    );
    for (const [index, printer] of printers.entries()) {
      const numbers = Array.from({ length: Number(values.documents) }, (_, i) => i).filter(
        (i) => i % printers.length === index,
      );
      console.log(`\n${printer.name}: ${numbers.length} documents`);
      const folder = join(work, printer.name);
      const code = await score(printer, numbers, folder, adapter);
      if (code !== 0) process.exitCode = code;
    }
  } finally {
    if (values.keep === undefined) await rm(work, { recursive: true, force: true });
  }
}

async function score(printer: Printer, numbers: readonly number[], folder: string, adapter: string): Promise<number> {
  const [pdfs, truth, predictions] = ["pdfs", "truth", "predictions"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [pdfs, truth, predictions]) await mkdir(made, { recursive: true });
  const documents = numbers.map((number) => printedDocument(number, Number(values.seed), printer));
  await printer.print(documents, pdfs);
  for (const { name, blocks } of documents) await writeFile(join(truth, `${name}.md`), toMarkdown(blocks));
  console.log(await scoreHeadings(documents, pdfs));
  console.log(await scoreMergedCells(documents, pdfs));
  const paths = ["--truth", truth, "--pdfs", pdfs, "--module", adapter, "--keep", predictions];
  return run([scorer, ...paths, "--fails", values.fails]);
}

function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  return new Promise((done, fail) => {
    child.on("error", fail).on("exit", (code) => done(code ?? 1));
  });
}
