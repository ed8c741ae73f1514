import fc from "fast-check";
import { expect, it } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { joinChunks } from "#dist/http/page/join-chunks.js";
import { joinToShown } from "#dist/http/page/join-to-shown.js";
import { documentText } from "#dist/parsers/shared/blocks/document-text.js";
import { toMarkdown } from "#dist/parsers/shared/blocks/to-markdown.js";
import type { Block } from "../../src/interfaces/block.js";
import { propertyRuns } from "../support/property-runs.js";

const word = fc.stringMatching(/^[a-zé0-9]{1,9}[.,:*`}]?$/);
const line = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => words.join(" "));
const lines = fc.array(line, { minLength: 1, maxLength: 12 }).map((all) => all.join("\n"));
const code = lines.map((text) => text.replaceAll("\n", "\n    "));
const table = fc.array(fc.tuple(line, line), { minLength: 1, maxLength: 15 }).map((rows) => {
  return ["| HEAD | ROW |", "| --- | --- |", ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
});
const block: fc.Arbitrary<Block> = fc
  .oneof(
    fc.record({ kind: fc.constant("heading" as const), text: line, level: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ kind: fc.constant("list_item" as const), text: lines, level: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant("code" as const), text: code, language: fc.constantFrom("sh", "") }),
    fc.record({ kind: fc.constantFrom("paragraph" as const, "caption" as const), text: lines }),
    fc.record({ kind: fc.constant("table" as const), text: table }),
  )
  .map((each) => ({ ...each, headingPath: [], origin: "native" }));

async function chunksOf(blocks: readonly Block[], chunkSize: number, overlapShare: number) {
  const drafts = await structureChunker.chunk(blocks, {
    ...{ chunkSize, maxChunkSize: 2 * chunkSize, chunkOverlap: Math.floor(chunkSize * overlapShare) },
    ...{ delimiter: null, maxTokens: null, countTokens: async (texts) => texts.map(() => 1) },
  });
  return drafts.map(({ text, start, end }) => ({ text, range: { start, end } }));
}

const squeeze = (text: string) => text.replace(/\s+/g, "");
const blocks = fc.array(block, { minLength: 1, maxLength: 12 });
const chunkSize = fc.integer({ min: 64, max: 600 });
const overlapShare = fc.constantFrom(0, 0.2, 0.5);

it("joins chunks of any size to the Markdown of the document", async () => {
  await fc.assert(
    fc.asyncProperty(blocks, chunkSize, overlapShare, async (document, size, share) => {
      const { text } = documentText(document);
      const chunks = await chunksOf(document, size, share);
      const window = { start: 0, end: text.length };
      const joined = joinChunks(chunks, { text, start: 0 }, window, window);
      expect(squeeze(joined.text)).toBe(squeeze(toMarkdown(document)));
    }),
    { numRuns: propertyRuns(120) },
  );
});

it("continues a text that is shown, before and after it, as if both had been read at once", async () => {
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  await fc.assert(
    fc.asyncProperty(blocks, chunkSize, overlapShare, share, async (document, size, overlap, at) => {
      const { text } = documentText(document);
      const chunks = await chunksOf(document, size, overlap);
      const stored = { text, start: 0 };
      const marked = { start: 0, end: 0 };
      const whole = squeeze(toMarkdown(document));
      const index = Math.floor(at * chunks.length);
      const [next, previous] = [chunks[index]!, chunks[index]!];

      const later = { start: next.range.start, end: text.length };
      const end = joinChunks(chunks.slice(index), stored, later, marked);
      const before = { start: 0, end: later.start };
      const earlierChunks = chunks.slice(0, index).filter(({ range }) => range.start < before.end);
      const start = joinToShown({ chunks: earlierChunks, window: before, previous: null, next }, stored, marked);
      expect(squeeze(start.text + end.text.slice(start.repeated))).toBe(whole);

      const earlier = { start: 0, end: previous.range.end };
      const shown = joinChunks(chunks.slice(0, index + 1), stored, earlier, marked);
      const after = { start: earlier.end, end: text.length };
      const laterChunks = chunks.slice(index + 1).filter(({ range }) => range.end > after.start);
      const rest = joinToShown({ chunks: laterChunks, window: after, previous, next: null }, stored, marked);
      expect(squeeze(shown.text.slice(0, shown.text.length - rest.repeated) + rest.text)).toBe(whole);
    }),
    { numRuns: propertyRuns(120) },
  );
});

it("shows a window of the document and marks a range, and nothing else", async () => {
  const prose = blocks.map((all) => all.map((each): Block => ({ ...each, kind: "paragraph" })));
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const documents = fc.oneof(blocks, prose);
  await fc.assert(
    fc.asyncProperty(
      documents,
      chunkSize,
      overlapShare,
      share,
      share,
      share,
      async (document, size, overlap, a, b, c) => {
        const { text } = documentText(document);
        const chunks = await chunksOf(document, size, overlap);
        const at = (part: number) => Math.floor(part * text.length);
        const window = { start: Math.min(at(a), at(b)), end: Math.max(at(a), at(b)) };
        const marked = { start: Math.min(at(c), at(b)), end: Math.max(at(c), at(b)) };
        const inWindow = chunks.filter(({ range }) => range.start < window.end && range.end > window.start);
        const start = inWindow[0]?.range.start ?? 0;
        const joined = joinChunks(inWindow, { text: text.slice(start), start }, window, marked);
        const shown = joined.ranges.map((range) => joined.text.slice(range.start, range.end)).join("");
        const expected = text.slice(Math.max(window.start, marked.start), Math.min(window.end, marked.end));
        expect(squeeze(shown)).toBe(squeeze(expected));
        if (document.every(({ kind }) => kind === "paragraph"))
          expect(squeeze(joined.text)).toBe(squeeze(text.slice(window.start, window.end)));
      },
    ),
    { numRuns: propertyRuns(120) },
  );
});
