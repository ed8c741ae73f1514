import { type KnowledgeBase, KnowledgeBaseError } from "lorebase";
import { fakeEmbedder, memoryVectorStore } from "lorebase/testing";
import { expect, it, onTestFinished } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const hosted = { endpoint: "https://vendor.test" };
const refused = (code: "provider_failed" | "store_failed") => new KnowledgeBaseError(code, "the key is not accepted");

/** Counts how often a provider's driver is made. */
function counting<Given extends { create(...given: never[]): unknown }>(provider: Given) {
  const made = { count: 0 };
  const create = (...given: never[]) => {
    made.count++;
    return provider.create(...given);
  };
  return { made, provider: { ...provider, create } as Given };
}

async function twice(kb: KnowledgeBase, configs: Parameters<typeof newNamespace>[1]) {
  onTestFinished(() => kb.close());
  for (let call = 0; call < 2; call++) {
    expect(await failureOf(() => newNamespace(kb, configs))).toMatchObject({ code: "invalid_input" });
  }
}

it("keeps no embedder, with its key, that its service has refused", async () => {
  const embedder = { ...fakeEmbedder({ script: Array(2).fill(refused("provider_failed")) }), hosted };
  const { made, provider } = counting(providerOf(embedder));
  await twice(openKnowledgeBase({ embedders: [provider] }), { embeddingConfig: { provider: "FAKE" } });
  expect(made.count).toBe(2);
});

it("keeps no vector store, with its key, that its service has refused", async () => {
  const check = async () => {
    throw refused("store_failed");
  };
  const { made, provider } = counting(providerOf({ ...memoryVectorStore(), hosted, check }));
  await twice(openKnowledgeBase({ vectorStores: [provider] }), { vectorStoreConfig: { provider: "MEMORY" } });
  expect(made.count).toBe(2);
});
