import { expect, it } from "vitest";
import { runCitationCampaign } from "./citation-campaign.js";

it("cites nothing but shown passages and changes no word, whatever a model writes", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, citations, wireCitations } = await runCitationCampaign({ outputs: 50, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(citations).toBeGreaterThan(100);
  expect(wireCitations).toBe(citations);
}, 120_000);
