import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makePdf, pdfLines } from "../support/make-files.js";
import { drawPage, makeScan } from "../support/make-pictures.js";
import { lorebase, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const INSTALL = "npm install tesseract.js-core @tesseract.js-data/eng";
const flags = ["-d", join(folder, "kb"), "--embedding", "MANAGED_LEXICAL"];

/** The command in a copy of the package without text recognition. */
const without = { main: join(folder, "app/dist/cli/main.js") };

beforeAll(async () => {
  const app = join(folder, "app");
  for (const part of ["dist", "models", "package.json"]) cpSync(part, join(app, part), { recursive: true });
  mkdirSync(join(app, "node_modules"));
  for (const name of readdirSync("node_modules").filter((name) => !/^\.|tesseract\.js/.test(name))) {
    symlinkSync(resolve("node_modules", name), join(app, "node_modules", name));
  }
  mkdirSync(join(folder, "scans"));
  const page = await drawPage(await makePdf([pdfLines(["The harbour was quiet.", "The lamp was lit."], 72, 700, 14)]));
  writeFileSync(join(folder, "scans/scan.pdf"), await makeScan([page, page]));
});

it("ingest, sync and doctor report a scan that was ingested without text recognition, and the fix", async () => {
  const ingested = await lorebase(["ingest", join(folder, "scans/scan.pdf"), ...flags], without);
  expect(ingested.code).toBe(0);
  expect(ingested.stderr).toMatch(/^warning: The document "scan\.pdf" \(doc_\w+\) was ingested without any text.*/m);
  expect(ingested.stderr).toContain(INSTALL);
  expect(ingested.stdout).toMatch(/^warning {2}scan\.pdf: Pages 1, 2 have no text; .*npm install tesseract\.js-core/m);

  const synced = await lorebase(["sync", join(folder, "scans"), "-n", "synced", ...flags], without);
  expect(synced.stdout).toMatch(/^warning {2}scan\.pdf: Pages 1, 2 have no text; .*npm install tesseract\.js-core/m);
  const again = await lorebase(["sync", join(folder, "scans"), "-n", "synced", ...flags], without);
  expect(again.stdout).not.toContain("warning");

  const checks = async (options: Parameters<typeof lorebase>[1]) => {
    const { stdout } = await lorebase(["doctor", "--json", "-d", join(folder, "kb")], options);
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "text recognition");
  };
  expect(await checks(without)).toEqual({
    name: "text recognition",
    status: "warning",
    found: expect.stringMatching(/^not installed: .*; 2 stored documents without the text of scanned pages$/),
    cure: expect.stringContaining(INSTALL),
  });
  expect(await checks({})).toMatchObject({
    status: "warning",
    found: expect.stringMatching(/^tesseract\.js-core \d.*; 2 stored documents without the text of scanned pages$/),
  });
}, 60_000);
