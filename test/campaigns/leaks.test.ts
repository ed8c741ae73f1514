import { memoryVectorStore } from "lorebase/testing";
import { afterAll, expect, it } from "vitest";
import { openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { leakCampaign } from "./leak-campaign.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

it("documents that principals don't see change nothing that they see", async () => {
  const seed = Date.now() % 1_000_000;
  const vectorStores = ["MANAGED_SQLITE_VEC", "MEMORY"];
  const { faults } = await leakCampaign({ kb, vectorStores, corpora: 2, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
}, 120_000);
