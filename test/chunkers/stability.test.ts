import { expect, test } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { documentText, parseFile } from "#dist/parse.js";
import type { ChunkDraft, ChunkOptions } from "../../src/interfaces/chunker.js";
import { seededRandom } from "../campaigns/random.js";
import { EDITS, editMarkdown, makeMarkdown, renderMarkdown } from "../support/make-markdown.js";

const FILES = 60;

async function chunked(markdown: string, options: Partial<ChunkOptions>) {
  const { blocks } = await parseFile(new TextEncoder().encode(markdown), { name: "a.md" });
  const drafts = await structureChunker.chunk(blocks, {
    chunkSize: 2048,
    maxChunkSize: 4096,
    chunkOverlap: 0,
    delimiter: null,
    maxTokens: null,
    countTokens: async (texts) => texts.map((text) => text.match(/\w{1,4}|[^\w\s]/g)?.length ?? 0),
    ...options,
  });
  const { starts } = documentText(blocks);
  const headings = blocks.flatMap(({ kind }, index) => (kind === "heading" ? [starts[index]!] : []));
  return { drafts, headings };
}

test.each([
  ["by size", {}],
  ["under a limit of tokens", { maxTokens: 256 }],
  ["with overlap", { chunkOverlap: 200 }],
])("a changed paragraph changes few chunks, most often of its section alone: cut %s", async (_, options) => {
  const counts: number[] = [];
  let apart = 0;
  const edits = new Set<string>();
  for (let seed = 1; seed <= FILES; seed++) {
    const random = seededRandom(seed);
    const chance = () => random.next();
    const file = makeMarkdown(chance);
    const changed = editMarkdown(file, chance);
    edits.add(changed.edit);
    const before = new Set((await chunked(renderMarkdown(file), options)).drafts.map(({ indexText }) => indexText));
    const { drafts, headings } = await chunked(renderMarkdown(changed.file), options);
    const fresh = drafts.filter(({ indexText }) => !before.has(indexText));
    const [from, to] = [headings[changed.section]!, headings[changed.section + 1] ?? Number.POSITIVE_INFINITY];
    const isApart = ({ start, end }: ChunkDraft) => start >= to || end <= from;
    if (fresh.some(isApart)) apart++;
    counts.push(fresh.length);
  }
  expect(edits.size).toBe(EDITS.length);
  counts.sort((a, b) => a - b);
  expect(counts[FILES / 2]).toBeLessThanOrEqual(3);
  expect(counts[Math.floor(FILES * 0.9)]).toBeLessThanOrEqual(5);
  expect(apart / FILES).toBeLessThan(0.2);
});
