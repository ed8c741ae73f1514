import assert from "node:assert/strict";
import type { Block } from "../interfaces/block.js";
import type { ChunkDraft, Chunker, ChunkOptions } from "../interfaces/chunker.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

/** Separates blocks in the text of a document. */
const SEPARATOR = "\n\n";

/** Returns the contract of chunkers. `create` is called once for each case. */
export function chunkerContract(create: () => Chunker | Promise<Chunker>): ContractCase[] {
  const testCase = createCaseFactory(async () => {
    const chunker = await create();
    return async (blocks: readonly Block[], options: Partial<ChunkOptions> = {}) =>
      chunker.chunk(blocks, { ...DEFAULTS, ...options });
  });
  return [
    testCase("returns no chunk for no text", async (chunk) => {
      assert.deepEqual(await chunk([]), []);
      assert.deepEqual(await chunk([paragraph(" \n ")]), []);
    }),
    testCase("returns a short text as one chunk", async (chunk) => {
      const [only, ...others] = await chunk([paragraph("A short text.")]);
      assert.equal(others.length, 0);
      assert.equal(only?.text, "A short text.");
      assert.equal(only.page, null);
      assert.deepEqual([only.start, only.end], [0, 13]);
    }),
    testCase("never exceeds the limit of characters", async (chunk) => {
      for (const maxChunkSize of [64, 100, 300]) {
        const drafts = await chunk(SAMPLE, { chunkSize: 64, maxChunkSize });
        for (const { indexText } of drafts)
          assert.ok(indexText.length <= maxChunkSize, `${indexText.length} characters`);
      }
    }),
    testCase("never exceeds the limit of tokens", async (chunk) => {
      for (const draft of await chunk(SAMPLE, { maxTokens: 20 }))
        assert.ok(draft.tokens <= 20, `${draft.tokens} tokens`);
    }),
    testCase("counts the tokens of the indexed text", async (chunk) => {
      const drafts = await chunk(SAMPLE, { chunkSize: 200 });
      const counts = await DEFAULTS.countTokens(drafts.map((draft) => draft.indexText));
      assert.deepEqual(
        drafts.map((draft) => draft.tokens),
        counts,
      );
    }),
    testCase("loses nothing and keeps the order", async (chunk) => {
      for (const chunkSize of [48, 200, 2000]) {
        assertNothingLost(SAMPLE, await chunk(SAMPLE, { chunkSize, maxChunkSize: chunkSize * 2 }));
      }
    }),
    testCase("returns ranges of the document's text", async (chunk) => {
      const drafts = await chunk(PROSE, { chunkSize: 80, maxChunkSize: 160 });
      const text = PROSE.map((block) => block.text).join(SEPARATOR);
      for (const draft of drafts) assert.equal(text.slice(draft.start, draft.end), draft.text);
    }),
    testCase("returns the boxes of a chunk's blocks on their pages", async (chunk) => {
      const placedParagraph = (text: string, page: number, top: number): Block => ({
        ...paragraph(text),
        page,
        bbox: [50, top, 500, top + 10],
      });
      const blocks = [
        placedParagraph("First.", 1, 100),
        placedParagraph("Second.", 1, 120),
        { ...placedParagraph("Third.", 2, 50), continues: [{ page: 3, bbox: [50, 20, 500, 30] as const }] },
        paragraph("Fourth."),
      ];
      assert.deepEqual(
        (await chunk(blocks)).flatMap((draft) => (draft.boxes ?? []).map(({ page, bbox }) => ({ page, bbox }))),
        [
          { page: 1, bbox: [50, 100, 500, 110] },
          { page: 1, bbox: [50, 120, 500, 130] },
          { page: 2, bbox: [50, 50, 500, 60] },
          { page: 3, bbox: [50, 20, 500, 30] },
        ],
      );
      const many = Array.from({ length: 400 }, (_, i) => placedParagraph(`Line ${i}.`, i < 200 ? 1 : 2, (i % 200) * 4));
      const [only] = await chunk(many, { chunkSize: 8000, maxChunkSize: 8000 });
      const boxes = only?.boxes ?? [];
      assert.ok(boxes.length <= 256, `${boxes.length} boxes`);
      const boxesOn = (page: number) => boxes.filter((box) => box.page === page).map(({ bbox }) => bbox);
      for (const page of [1, 2]) {
        assert.equal(Math.min(...boxesOn(page).map(([, top]) => top)), 0);
        assert.equal(Math.max(...boxesOn(page).map(([, , , bottom]) => bottom)), 806);
      }
      assert.deepEqual((await chunk([paragraph("No box.")]))[0]?.boxes ?? [], []);
    }),
    testCase("indexes a chunk with the headings above it", async (chunk) => {
      for (const draft of await chunk(SAMPLE, { chunkSize: 200 })) {
        assert.ok(draft.indexText.endsWith(draft.text));
        const innermost = draft.headings.at(-1);
        if (innermost !== undefined) assert.ok(draft.indexText.includes(innermost), `"${innermost}" is missing`);
      }
    }),
    testCase("ends no chunk with a heading", async (chunk) => {
      for (const chunkSize of [64, 120, 240]) {
        for (const draft of await chunk(SAMPLE, { chunkSize, maxChunkSize: chunkSize * 2 })) {
          assert.doesNotMatch(draft.text.split("\n").at(-1) ?? "", /^#{1,6} /);
        }
      }
    }),
    testCase("repeats at most the overlap", async (chunk) => {
      const drafts = await chunk(PROSE, { chunkSize: 120, chunkOverlap: 60 });
      for (const [i, draft] of drafts.entries()) {
        const shared = i === 0 ? 0 : Math.max(0, drafts[i - 1]!.end - draft.start);
        assert.ok(shared <= 60, `${shared} characters are repeated`);
        if (i > 0) assert.ok(draft.end > drafts[i - 1]!.end, "a chunk has no new text");
      }
      assert.ok(
        drafts.some((draft, i) => i > 0 && draft.start < drafts[i - 1]!.end),
        "nothing is repeated",
      );
    }),
    testCase("ends a chunk at every delimiter", async (chunk) => {
      const drafts = await chunk([paragraph("One.@@Two."), paragraph("Three.@@")], { delimiter: "@@" });
      assert.deepEqual(
        drafts.map((draft) => draft.text),
        ["One.", "Two.\n\nThree."],
      );
    }),
    testCase("stops when the signal is aborted", async (chunk) => {
      await assert.rejects(chunk(SAMPLE, { signal: AbortSignal.abort() }), { name: "AbortError" });
    }),
  ];
}

/** Fails unless the chunks contain every visible character of the blocks, in order. */
export function assertNothingLost(blocks: readonly Block[], drafts: readonly ChunkDraft[]): void {
  const output = drafts.map((draft) => draft.text).join("\n");
  let position = 0;
  for (const [index, { text }] of blocks.entries()) {
    for (const character of text.replace(/\s+/g, "")) {
      position = output.indexOf(character, position) + character.length;
      assert.ok(position >= character.length, `"${character}" of block ${index} is missing or out of order`);
    }
  }
}

const DEFAULTS: ChunkOptions = {
  chunkSize: 512,
  chunkOverlap: 0,
  maxChunkSize: 1024,
  delimiter: null,
  maxTokens: null,
  countTokens: async (texts) => texts.map((text) => text.split(/\s+/).filter((word) => word !== "").length),
};

function paragraph(text: string, headingPath: readonly string[] = []): Block {
  return { kind: "paragraph", text, headingPath, origin: "native" };
}

function sentences(count: number): string {
  return Array.from({ length: count }, (_, i) => `This is sentence number ${i + 1} of the text.`).join(" ");
}

const PROSE: readonly Block[] = [paragraph(sentences(12)), paragraph(sentences(5))];

const ROWS = Array.from({ length: 30 }, (_, i) => [`item ${i}`, `${i * 3}`]);

const SAMPLE: readonly Block[] = [
  { kind: "heading", level: 1, text: "Handbook", headingPath: [], origin: "native" },
  { kind: "heading", level: 2, text: "Leave", headingPath: ["Handbook"], origin: "native" },
  paragraph(sentences(8), ["Handbook", "Leave"]),
  { kind: "list_item", level: 1, text: "First item", headingPath: ["Handbook", "Leave"], origin: "native" },
  {
    kind: "list_item",
    level: 1,
    marker: "2.",
    text: "Second item",
    headingPath: ["Handbook", "Leave"],
    origin: "native",
  },
  { kind: "heading", level: 2, text: "Stock", headingPath: ["Handbook"], origin: "native" },
  {
    kind: "table",
    text: ["| Item | Count |", "| --- | --- |", ...ROWS.map((row) => `| ${row.join(" | ")} |`)].join("\n"),
    table: { header: ["Item", "Count"], rows: ROWS },
    headingPath: ["Handbook", "Stock"],
    origin: "native",
  },
  { kind: "heading", level: 2, text: "Code", headingPath: ["Handbook"], origin: "native" },
  {
    kind: "code",
    language: "js",
    text: Array.from({ length: 20 }, (_, i) => `const value${i} = ${i};`).join("\n"),
    headingPath: ["Handbook", "Code"],
    origin: "native",
  },
  paragraph(sentences(3), ["Handbook", "Code"]),
];
