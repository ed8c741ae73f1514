import { expect, it } from "vitest";
import { runCitationCampaign } from "./citation-campaign.js";

it("cites nothing but shown passages and changes no word, whatever a model writes", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, citations, wireCitations } = await runCitationCampaign({ outputs: 20, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(citations).toBeGreaterThan(40);
  expect(wireCitations).toBe(citations);
}, 120_000);
