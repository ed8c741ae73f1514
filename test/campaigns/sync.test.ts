import { expect, it } from "vitest";
import { syncCampaign } from "./sync-campaign.js";

it("syncs that are killed lose and double nothing", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { faults, checks } = await syncCampaign({ rounds: 2, seed, library });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(checks).toBe(1);
}, 180_000);
