import { KnowledgeBase } from "lorebase";
import { afterAll, expect, it } from "vitest";
import { transformersEmbeddings } from "#dist/embedders/transformers/provider.js";

// Nobody listens there: the weights can't be had.
const unreachable = transformersEmbeddings({ hub: { host: "http://127.0.0.1:9" } });
const kb = new KnowledgeBase({ directory: ":memory:", embedders: [unreachable] });
afterAll(() => kb.close());

it("is the static embedder, and a warning says why", async () => {
  const warnings: string[] = [];
  kb.on("warning", ({ message }) => warnings.push(message));
  const made = await kb.namespaces.create({ name: "Offline", slug: "offline" });
  expect(made.embeddingConfig).toEqual({ provider: "MANAGED_STATIC", model: "static-1" });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^The namespace uses MANAGED_STATIC embeddings, because local transformer embeddings/);
});

it("finds what a question means, where no word of it is in the answer", async () => {
  const offline = kb.namespace("offline");
  const texts = [
    "Staff may bring their dogs and cats into the office on Fridays.",
    "Invoices are paid within thirty days of their receipt.",
    "The car park is closed at night and on public holidays.",
  ];
  const items = texts.map((text) => ({ type: "TEXT" as const, text }));
  await (await offline.ingest({ type: "BATCH", items })).done();
  const [first] = await offline.search("Are pets welcome at work?", { mode: "semantic" });
  expect(first!.text).toBe(texts[0]);
});

it("refuses what was named and can't be loaded", async () => {
  const embeddingConfig = { provider: "MANAGED_TRANSFORMERS" };
  const named = kb.namespaces.create({ name: "Named", slug: "named", embeddingConfig });
  await expect(named).rejects.toMatchObject({ code: "not_ready" });
});
