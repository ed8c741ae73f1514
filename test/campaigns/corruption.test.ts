import { expect, it } from "vitest";
import { corruptionCampaign } from "./corruption-campaign.js";

it("returns nothing that was altered, and finds and restores it", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { flips, structures, files } = await corruptionCampaign({ jobs: 3, flips: 1, files: 1, seed, library });
  expect({ seed, altered: flips.flatMap(({ altered }) => altered) }).toEqual({ seed, altered: [] });
  expect({ seed, structures }).toEqual({
    seed,
    structures: ["damageFreelist", "damagePointerMap"].map((structure) => {
      return { structure, isFound: true, isUnchanged: true };
    }),
  });
  expect({ seed, files }).toEqual({ seed, files: { changed: 2, found: 2, refused: 2, failed: 2 } });
}, 180_000);
