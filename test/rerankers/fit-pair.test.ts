import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSpecialTokens, fitPair } from "#dist/rerankers/transformers/fit-pair.js";

// Tokens of the tokenizer are negative, those of the query begin at 1000, those of the passage at 2000.
const FRAMES = {
  "as BERT has it": { open: [-1], between: [-2], close: [-2] },
  "as XLM-RoBERTa has it": { open: [-1], between: [-2, -2], close: [-2] },
};
const texts = fc.record({
  query: fc.integer({ min: 0, max: 60 }),
  passage: fc.integer({ min: 0, max: 60 }),
  limit: fc.integer({ min: 8, max: 70 }),
});
const from = (start: number, length: number) => Array.from({ length }, (_, index) => start + index);

describe.each(Object.entries(FRAMES))("%s", (_, { open, between, close }) => {
  const join = (query: readonly number[], passage: readonly number[]) => [
    ...open,
    ...query,
    ...between,
    ...passage,
    ...close,
  ];
  const frame = countSpecialTokens(join([7], [8]), [7], [8]);

  it("tells where the texts stand", () => {
    expect(frame).toEqual({ before: open.length, between: between.length, after: close.length });
  });

  it("keeps the beginnings of both texts, all that frames them, and as much as there is room for", () => {
    fc.assert(
      fc.property(texts, ({ query, passage, limit }) => {
        const ids = join(from(1000, query), from(2000, passage));
        const pair = { input_ids: ids, attention_mask: ids.map((_, index) => index) };
        const fitted = fitPair(pair, query, frame, limit);
        const kept = fitted.input_ids!;
        const [keptQuery, keptPassage] = [
          kept.filter((id) => id >= 1000 && id < 2000),
          kept.filter((id) => id >= 2000),
        ];
        expect(kept).toEqual(join(from(1000, keptQuery.length), from(2000, keptPassage.length)));
        expect(kept).toHaveLength(Math.min(ids.length, limit));
        // What is kept of one key is kept of the others.
        expect(fitted.attention_mask!.map((index) => ids[index])).toEqual(kept);
        const room = limit - open.length - between.length - close.length;
        if (query <= room / 2 - 1) expect(keptQuery).toHaveLength(query);
        if (ids.length > limit)
          expect(keptPassage.length).toBeGreaterThanOrEqual(Math.min(passage, Math.floor(room / 2)));
      }),
    );
  });
});

it("finds the frame also where both texts are the same word", () => {
  expect(countSpecialTokens([-1, 7, -2, 7, -2], [7], [7])).toEqual({ before: 1, between: 1, after: 1 });
});
