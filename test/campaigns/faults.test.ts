import { expect, it } from "vitest";
import { faultCampaign } from "./fault-campaign.js";

it("loses, doubles and mixes nothing when processes are killed", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { faults, acknowledged, checks } = await faultCampaign({ rounds: 2, seed, library });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(acknowledged).toBeGreaterThan(2);
  expect(checks).toBeGreaterThan(0);
}, 180_000);
