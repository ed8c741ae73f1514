import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { findFiles } from "#dist/cli/find-files.js";
import { temporaryFolder } from "./lorebase.js";

const root = temporaryFolder();
for (const folder of ["docs/deep", "docs/.git", "docs/node_modules/x", "empty"])
  mkdirSync(join(root, folder), { recursive: true });
const files = [
  "docs/b.md",
  "docs/a.pdf",
  "docs/deep/c [1].txt",
  "docs/.hidden",
  "docs/.git/config",
  "docs/node_modules/x/y.js",
];
for (const file of files) writeFileSync(join(root, file), "x");

const found = async (...paths: string[]) =>
  (await findFiles(paths.map((path) => join(root, path)))).map((path) => relative(root, path));

it("finds all files below a folder except hidden ones and node_modules", async () => {
  expect(await found("docs")).toEqual(["docs/a.pdf", "docs/b.md", "docs/deep/c [1].txt"]);
});

it("accepts a named file even if it is hidden or looks like a glob", async () => {
  expect(await found("docs/.hidden", "docs/deep/c [1].txt")).toEqual(["docs/.hidden", "docs/deep/c [1].txt"]);
});

it("expands globs, and returns each file once", async () => {
  expect(await found("docs/**/*.{md,txt}", "docs/b.md")).toEqual(["docs/b.md", "docs/deep/c [1].txt"]);
});

it.each([
  ["missing.txt", /missing\.txt: no such file or folder/],
  ["docs/*.docx", /\*\.docx: no file matches this pattern/],
  ["empty", /empty: the folder has no files/],
])("refuses %s", async (path, message) => {
  await expect(found(path)).rejects.toThrow(message);
});
