import { expect, it } from "vitest";
import { crawlCampaign } from "./crawl-campaign.js";

it("crawls the same when it is killed, and repeats only what was under way", async () => {
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const { faults, kills, documents } = await crawlCampaign({ kills: 1, seed, library });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect([kills, documents > 150]).toEqual([1, true]);
}, 180_000);
