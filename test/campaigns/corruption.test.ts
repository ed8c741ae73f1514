import { expect, it } from "vitest";
import { corruptionCampaign } from "./corruption-campaign.js";

it("returns nothing that was altered, and finds and restores it", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { flips, files } = await corruptionCampaign({ flips: 3, files: 3, seed, library });
  expect({ seed, altered: flips.flatMap(({ altered }) => altered) }).toEqual({ seed, altered: [] });
  expect({ seed, files }).toEqual({ seed, files: { changed: 6, found: 6, refused: 6, failed: 6 } });
}, 180_000);
