import { expect, it } from "vitest";
import { storeCampaign, type Vendor } from "./store-campaign.js";

/** Some of the calls: the whole is `npm run campaign:stores`. */
const SHARE = 3;

it.each<Vendor>(["Pinecone", "Turbopuffer"])(
  "leaves exactly the published chunks in %s when a process is killed amid its calls",
  async (vendor) => {
    const library = new URL("../../dist/index.js", import.meta.url).href;
    const first = Math.floor(Math.random() * 4) + 1;
    const choose = (calls: number) => Array.from({ length: SHARE }, (_, n) => first + Math.floor((n * calls) / SHARE));
    const { calls, kills } = await storeCampaign({ vendor, library, choose });
    expect(calls).toBeGreaterThan(10);
    expect(kills.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(kills.length).toBeGreaterThan(SHARE);
    expect(kills.some(({ published }) => published > 0)).toBe(true);
  },
  180_000,
);
