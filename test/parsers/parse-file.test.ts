import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { documentText, parseFile, toMarkdown } from "lorebase/parse";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lorebase-parse-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const MARKDOWN = "# Title\n\nText.\n\n- one\n  - two\n\n```js\na();\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |";

test("a path, a URL and bytes give the same", async () => {
  const path = join(folder, "notes.md");
  await writeFile(path, MARKDOWN);
  const parsed = await parseFile(path);
  expect(parsed).toMatchObject({ title: "Title", mimeType: "text/markdown", pages: null, metadata: {}, warnings: [] });
  expect(await parseFile(pathToFileURL(path))).toEqual(parsed);
  expect(await parseFile(Buffer.from(MARKDOWN), { name: "notes.md" })).toEqual(parsed);
});

test("Markdown comes out as it went in", async () => {
  const { markdown, blocks } = await parseFile(Buffer.from(MARKDOWN), { mimeType: "text/markdown" });
  expect(markdown).toBe(MARKDOWN);
  expect(toMarkdown(blocks)).toBe(markdown);
});

test("a file that is not there", async () => {
  await expect(parseFile(join(folder, "absent.pdf"))).rejects.toMatchObject({ code: "not_found" });
  await expect(parseFile(folder)).rejects.toMatchObject({ code: "invalid_input" });
});

test("a document's text has every block where its start says", async () => {
  const { blocks } = await parseFile(Buffer.from(MARKDOWN), { name: "a.md" });
  const { text, starts } = documentText(blocks);
  for (const [i, block] of blocks.entries()) expect(text.startsWith(block.text, starts[i])).toBe(true);
  expect(text.startsWith("Title\n\nText.\n\none\n\ntwo\n\na();")).toBe(true);
});
