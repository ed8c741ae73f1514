import { fakeEmbedder } from "lorebase/testing";
import { expect, it } from "vitest";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const text = Array.from({ length: 12 }, (_, index) => `# Part ${index}\n\n${`Sentence ${index}. `.repeat(20)}`).join(
  "\n\n",
);

it.each([
  ["as many as its service takes", { endpoint: "https://vendor.test", concurrency: 3 }, 3],
  ["four, where it says nothing", { endpoint: "https://vendor.test" }, 4],
])("batches of one document are embedded concurrently by hosted embedders: %s", async (_, hosted, atOnce) => {
  const fake = fakeEmbedder({ provider: "BUSY", maxBatchSize: 1 });
  const standing: (() => void)[] = [];
  let active = 0;
  let peak = 0;
  const embedder: Embedder = {
    ...fake,
    hosted,
    async embed(texts, options) {
      if (options.purpose === "query") return fake.embed(texts, options);
      peak = Math.max(peak, ++active);
      // Goes on when as many stand here as may, and then always: none can wait for ever.
      if (peak < atOnce) await new Promise<void>((resolve) => standing.push(resolve));
      for (const go of standing.splice(0)) go();
      active--;
      return fake.embed(texts, options);
    },
  };
  const kb = openKnowledgeBase({ embedders: [providerOf(embedder)] });
  try {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: "BUSY" } });
    const run = await handle.ingest({ type: "TEXT", text }, { chunkSize: 200 });
    const job = await run.done();
    expect(job.status).toBe("COMPLETED");
    expect(job.counts.chunks).toBeGreaterThan(10);
    expect(peak).toBe(atOnce);
    // Each vector is with its own chunk.
    for (const call of fake.calls.filter(({ purpose }) => purpose === "document")) {
      const [hit] = await handle.search(call.texts[0]!, { mode: "semantic", topK: 1 });
      expect(hit!.score).toBeCloseTo(1, 5);
      expect(call.texts[0]).toContain(hit!.text);
    }
  } finally {
    await kb.close();
  }
});
