import { expect, it } from "vitest";
import { reembedCampaign } from "./reembed-campaign.js";

it("changes of a model that are killed lose nothing", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { faults, killed } = await reembedCampaign({ rounds: 2, seed, withStore: true, library });
  expect({ seed, faults, killed }).toEqual({ seed, faults: [], killed: 2 });
}, 180_000);
