import fc from "fast-check";
import { expect, test } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
import { documentText } from "#dist/parsers/shared/blocks/document-text.js";
import { assertNothingLost } from "#dist/testing/chunker-contract.js";
import type { Block } from "../../src/interfaces/block.js";
import type { ChunkOptions } from "../../src/interfaces/chunker.js";
import { propertyRuns } from "../support/property-runs.js";

const word = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: "grapheme-ascii" }) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 90, unit: "grapheme" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "Dr.",
      "e.g.",
      "End.",
      "Why?",
      "\n\n",
      "\n",
      "```",
      "|",
      "世界。",
      "👨‍👩‍👧‍👦",
      "\ud83d\ude00",
    ),
  },
);
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(" "));
const rows = fc.array(fc.array(fc.string({ maxLength: 40 }), { minLength: 2, maxLength: 3 }), {
  minLength: 1,
  maxLength: 20,
});
const table = rows.map((cells) => {
  const [header, ...body] = cells.map((row) => `| ${row.map((cell) => cell.replace(/[|\n]/g, "")).join(" | ")} |`);
  return [header, "| --- | --- |", ...body].join("\n");
});

interface Draw {
  readonly kind: Block["kind"];
  readonly text: string;
  readonly level: number;
}
const block: fc.Arbitrary<Draw> = fc.oneof(
  fc.record({
    kind: fc.constant("heading" as const),
    text: fc.string({ minLength: 1, maxLength: 60 }),
    level: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({
    kind: fc.constantFrom("paragraph" as const, "list_item" as const, "code" as const, "caption" as const),
    text,
    level: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant("table" as const), text: table, level: fc.constant(1) }),
);

function blocksOf(draws: readonly Draw[]): Block[] {
  const open: { level: number; text: string }[] = [];
  return draws.map((draw, i) => {
    if (draw.kind === "heading") while (open.length > 0 && open.at(-1)!.level >= draw.level) open.pop();
    const headingPath = open.map((heading) => heading.text);
    if (draw.kind === "heading") open.push(draw);
    return { ...draw, headingPath, origin: "native", page: 1 + (i >> 2) };
  });
}

const options: fc.Arbitrary<ChunkOptions> = fc
  .record({
    chunkSize: fc.integer({ min: 32, max: 600 }),
    overlapShare: fc.constantFrom(0, 0, 0.1, 0.5, 0.99),
    maxShare: fc.constantFrom(1, 1.2, 2),
    maxTokens: fc.constantFrom(null, null, 1, 5, 40),
  })
  .map(({ chunkSize, overlapShare, maxShare, maxTokens }) => ({
    chunkSize,
    chunkOverlap: Math.floor(chunkSize * overlapShare),
    maxChunkSize: Math.floor(chunkSize * maxShare),
    delimiter: null,
    maxTokens,
    countTokens: async (texts) => texts.map((item) => Math.ceil(item.length / 3)),
  }));

const documents = fc.array(block, { maxLength: 20 }).map(blocksOf);

test("nothing is lost, limits hold and ranges hold what is shown", async () => {
  await fc.assert(
    fc.asyncProperty(documents, options, async (blocks, settings) => {
      const drafts = await structureChunker.chunk(blocks, settings);
      assertNothingLost(blocks, drafts);
      const { text: whole } = documentText(blocks);
      let end = 0;
      for (const draft of drafts) {
        expect(draft.indexText.length).toBeLessThanOrEqual(settings.maxChunkSize);
        expect(draft.indexText.endsWith(draft.text)).toBe(true);
        if (settings.maxTokens !== null && [...draft.text].length > 1)
          expect(draft.tokens).toBeLessThanOrEqual(settings.maxTokens);
        expect(draft.text).toMatch(/\S/);
        expect(draft.end).toBeGreaterThan(end);
        expect(whole.slice(end, Math.max(end, draft.start)).trim()).toBe("");
        end = draft.end;
      }
      expect(whole.slice(end).trim()).toBe("");
    }),
    { numRuns: propertyRuns(100) },
  );
});

test("a chunk's range holds its text, where blocks have no marks", async () => {
  const prose = fc
    .array(text, { maxLength: 12 })
    .map((texts) => texts.map((item): Block => ({ kind: "paragraph", text: item, headingPath: [], origin: "native" })));
  await fc.assert(
    fc.asyncProperty(prose, options, async (blocks, settings) => {
      const { text: whole } = documentText(blocks);
      const squeeze = (shown: string) => shown.replace(/\s+/g, "");
      for (const draft of await structureChunker.chunk(blocks, settings))
        expect(squeeze(whole.slice(draft.start, draft.end))).toBe(squeeze(draft.text));
    }),
    { numRuns: propertyRuns(60) },
  );
});

test("no chunk but the last ends with a heading, where the heading leaves room for more", async () => {
  await fc.assert(
    fc.asyncProperty(documents, options, async (blocks, settings) => {
      const { starts } = documentText(blocks);
      const drafts = await structureChunker.chunk(blocks, { ...settings, maxTokens: null });
      for (const draft of drafts.slice(0, -1)) {
        const last = blocks[starts.findLastIndex((start) => start < draft.end)]!;
        if (last.kind === "heading") expect(draft.indexText.length).toBeGreaterThan(settings.maxChunkSize - 24);
      }
    }),
    { numRuns: propertyRuns(80) },
  );
});

test("overlap stays within its limit and every chunk brings something new", async () => {
  await fc.assert(
    fc.asyncProperty(documents, options, async (blocks, settings) => {
      const drafts = await structureChunker.chunk(blocks, settings);
      for (const [i, draft] of drafts.entries()) {
        if (i === 0) continue;
        expect(drafts[i - 1]!.end - draft.start).toBeLessThanOrEqual(settings.chunkOverlap);
        expect(draft.end).toBeGreaterThan(drafts[i - 1]!.end);
        expect(draft.start).toBeGreaterThan(drafts[i - 1]!.start);
      }
    }),
    { numRuns: propertyRuns(80) },
  );
});
