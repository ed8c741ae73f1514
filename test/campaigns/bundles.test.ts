import { expect, it } from "vitest";
import { corruptionCampaign, sizeCampaign } from "./bundle-campaign.js";

it("refuses damaged bundles, names the place and imports nothing of them", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults } = await corruptionCampaign({ bundles: 25, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
}, 120_000);

it("imports the same vectors and finds the same", async () => {
  expect((await sizeCampaign({ chunks: 500 })).differences).toEqual([]);
}, 120_000);
