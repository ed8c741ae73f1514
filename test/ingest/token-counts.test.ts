import type { Embedder } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { expect, it, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

/** More words than the model reads, fewer characters than make one expect that. */
const DENSE = Array.from({ length: 100 }, (_, index) => String.fromCharCode(97 + (index % 26))).join(" ");
const LIMIT = 70;

async function ingest(text: string, { tells }: { tells: boolean }) {
  const fake = fakeEmbedder({ maxInputTokens: LIMIT });
  const counted: string[] = [];
  const embedder: Embedder = {
    ...fake,
    async embed(texts, options) {
      const vectors = await fake.embed(texts, options);
      if (tells) options.onTokens?.(await fake.countTokens(texts));
      return vectors;
    },
    countTokens(texts, options) {
      counted.push(...texts);
      return fake.countTokens(texts, options);
    },
  };
  const kb = openKnowledgeBase({ embedders: [providerOf(embedder)], defaultEmbedding: { provider: "FAKE" } });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  expect((await (await handle.ingest({ type: "TEXT", text })).done()).status).toBe("COMPLETED");
  const [document] = (await handle.documents.list()).items;
  const texts: string[] = [];
  for await (const chunk of handle.documents.chunks(document!.id)) texts.push(chunk.text);
  return { document: document!, texts, counted, embedded: fake.calls.flatMap((call) => call.texts) };
}

it.each([
  { tells: true, counts: 0 },
  { tells: false, counts: 1 },
])("tokens of a short document are counted by its embedding, or once: %o", async ({ tells, counts }) => {
  const { document, counted, embedded } = await ingest("one two three", { tells });
  expect(document.totalTokens).toBe(3);
  expect(embedded).toEqual(["one two three"]);
  expect(counted).toHaveLength(counts);
});

it.each([true, false])(
  "a short text of too many tokens is cut, and nothing of it is left out (told: %s)",
  async (tells) => {
    const { document, texts, embedded } = await ingest(DENSE, { tells });
    expect(document).toMatchObject({ totalChunks: texts.length, totalTokens: 100 });
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join(" ")).toBe(DENSE);
    expect(embedded).toEqual([DENSE, ...texts]);
    for (const text of texts) expect(text.split(" ").length).toBeLessThanOrEqual(LIMIT);
  },
);
