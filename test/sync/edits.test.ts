import { expect, it } from "vitest";
import { seededRandom } from "../campaigns/random.js";
import { editMarkdown, type MarkdownFile, makeMarkdown, renderMarkdown } from "../support/make-markdown.js";
import { folderTest } from "../support/synced-folder.js";

const FILES = 60;
const EDITS = 40;

it("embeds few chunks when one paragraph of a folder changes", async () => {
  const test = await folderTest();
  const random = seededRandom(7);
  const chance = () => random.next();
  const files: MarkdownFile[] = Array.from({ length: FILES }, () => makeMarkdown(chance));
  for (const [index, file] of files.entries()) test.write(`${index}.md`, renderMarkdown(file));
  expect((await (await test.handle.sync({ dir: test.dir })).done()).failed).toEqual([]);
  expect(test.embedded().length).toBeGreaterThan(FILES);

  const counts: number[] = [];
  let apart = 0;
  for (let edit = 0; edit < EDITS; edit++) {
    const index = random.integer(0, FILES - 1);
    const { file, section } = editMarkdown(files[index]!, chance);
    files[index] = file;
    test.write(`${index}.md`, renderMarkdown(file));
    const { changed, failed } = await (await test.handle.sync({ dir: test.dir })).done();
    expect([changed, failed]).toEqual([[`${index}.md`], []]);
    const embedded = test.embedded();
    counts.push(embedded.length);
    const { title } = file[section]!;
    if (embedded.some((text) => !text.includes(title))) apart++;
  }
  counts.sort((a, b) => a - b);
  expect(counts[EDITS / 2]).toBeLessThanOrEqual(3);
  expect(counts.at(-1)).toBeLessThanOrEqual(8);
  expect(apart).toBeLessThanOrEqual(EDITS * 0.2);
}, 120_000);
