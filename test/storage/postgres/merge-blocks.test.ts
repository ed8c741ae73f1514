import { expect, it } from "vitest";
import { analyzeTexts } from "#dist/storage/postgres/search-index/analyzed-chunks.js";
import { mergeBlocks } from "#dist/storage/postgres/search-index/merge-blocks.js";
import { PostingsBlock } from "#dist/storage/postgres/search-index/postings-block.js";

type Merged = Parameters<typeof mergeBlocks>[0][number];

function partOf(documentSeq: number, texts: readonly string[]): Merged {
  const { words, positions } = analyzeTexts({ documentSeq, generation: 1, stemming: 1, texts });
  return { block: new PostingsBlock(words), positions };
}

function merge(parts: readonly Merged[], kept: readonly number[]): Merged {
  const { words, positions } = mergeBlocks(parts, ({ documentSeq }) => kept.includes(documentSeq));
  return { block: new PostingsBlock(words), positions };
}

/** Where a term is: document, chunk and positions. */
function occurrences({ block, positions }: Merged, term: string): readonly string[] {
  const owners = [...block.documents()].flatMap(({ documentSeq, chunks }) => Array(chunks).fill(documentSeq));
  const entry = block.find(Buffer.from(term));
  const found: string[] = [];
  if (entry)
    block.readPositions(positions, entry, (chunk, places) => {
      found.push(`${owners[chunk]} ${chunk} ${places}`);
    });
  return found;
}

const PARTS = [
  partOf(1, ["tide tide rock", "foam"]),
  partOf(2, ["rock", "москва tide", "foam foam rock tide"]),
  partOf(2, ["tide"]),
  partOf(3, ["kelp tide"]),
];

it("joins parts, those of one document too", () => {
  const merged = merge(PARTS, [1, 2, 3]);
  expect([...merged.block.documents()].map(({ documentSeq, chunks }) => [documentSeq, chunks])).toEqual([
    [1, 2],
    [2, 4],
    [3, 1],
  ]);
  expect(occurrences(merged, "tide")).toEqual(["1 0 0,1", "2 3 1", "2 4 3", "2 5 0", "3 6 1"]);
  expect(occurrences(merged, "foam")).toEqual(["1 1 0", "2 4 0,1"]);
  expect(occurrences(merged, "москва")).toEqual(["2 3 0"]);
});

it("leaves out documents, and terms that only they have", () => {
  const whole = merge(PARTS, [1, 2, 3]);
  const merged = merge([whole], [1, 3]);
  expect(occurrences(merged, "tide")).toEqual(["1 0 0,1", "3 2 1"]);
  expect(occurrences(merged, "москва")).toEqual([]);
  expect(merge(PARTS, [1, 3])).toEqual(merged);
});
