import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { type PrintedDocument, printedDocuments } from "./printed-documents.js";

// Prints documents with a browser and scores what the built parsers read from them with the scorer of a corpus:
// npm run score:pdf -- [--corpora DIR] [--documents 60] [--seed 1] [--chromium /usr/bin/chromium] [--keep DIR]
const { values } = parseArgs({
  options: {
    corpora: { type: "string", default: "../shared/corpora" },
    documents: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    keep: { type: "string" },
    fails: { type: "string", default: "5" },
  },
});
const scorer = join(resolve(values.corpora), "score-pdf.mjs");

if (!existsSync(scorer))
  console.log(`Nothing to score: there is no scorer at ${scorer} (--corpora DIR names another folder).`);
else if (!existsSync(values.chromium))
  console.log(`Nothing to score: there is no browser at ${values.chromium} (--chromium FILE names another).`);
else {
  const work = values.keep ?? (await mkdtemp(join(tmpdir(), "lorebase-score-")));
  try {
    const adapter = join(work, "adapter.mjs");
    const parse = new URL("../dist/parse.js", import.meta.url).href;
    const [pdfs, truth, predictions] = ["pdfs", "truth", "predictions"].map((name) => join(work, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [pdfs, truth, predictions]) await mkdir(folder, { recursive: true });
    await writeFile(
      adapter,
      `import { parseFile } from ${JSON.stringify(parse)};\nexport default (path) => parseFile(path);\n`,
    );
    await print(printedDocuments(Number(values.documents), Number(values.seed)), pdfs, truth);
    process.exitCode = await run([
      scorer,
      "--truth",
      truth,
      "--pdfs",
      pdfs,
      "--module",
      adapter,
      "--keep",
      predictions,
      "--fails",
      values.fails,
    ]);
  } finally {
    if (values.keep === undefined) await rm(work, { recursive: true, force: true });
  }
}

async function print(documents: readonly PrintedDocument[], pdfs: string, truth: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: values.chromium, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    for (const { name, html, markdown, header, isTagged } of documents) {
      await page.setContent(html);
      await page.pdf({
        path: join(pdfs, `${name}.pdf`),
        format: "A4",
        margin: { top: "25mm", bottom: "25mm", left: "22mm", right: "22mm" },
        displayHeaderFooter: true,
        headerTemplate: `<div style="font-size: 8px; margin-left: 22mm">${header}</div>`,
        footerTemplate:
          '<div style="font-size: 8px; width: 100%; text-align: center"><span class="pageNumber"></span></div>',
        tagged: isTagged,
      });
      await writeFile(join(truth, `${name}.md`), markdown);
    }
  } finally {
    await browser.close();
  }
}

function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  return new Promise((done, fail) => {
    child.on("error", fail).on("exit", (code) => done(code ?? 1));
  });
}
