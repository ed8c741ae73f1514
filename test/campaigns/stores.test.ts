import { expect, it } from "vitest";
import { storeCampaign, type Vendor } from "./store-campaign.js";

// One of the calls: all of them are `npm run campaign:stores`.
it.each<Vendor>(["Pinecone", "Turbopuffer"])(
  "leaves exactly the published chunks in %s when a process is killed amid its calls",
  async (vendor) => {
    const library = new URL("../../dist/index.js", import.meta.url).href;
    // Of the first document's second batch, or later.
    const choose = (calls: number) => [3 + Math.floor(Math.random() * (calls / 2))];
    const { calls, kills } = await storeCampaign({ vendor, library, choose });
    expect(calls).toBeGreaterThan(10);
    expect(kills.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(kills.map(({ applied }) => applied)).toEqual([false, true]);
    expect(kills.every(({ published }) => published > 0)).toBe(true);
  },
  300_000,
);
