import { expect, it } from "vitest";
import { storeCampaign, type Vendor } from "./store-campaign.js";

const VENDORS: readonly Vendor[] = ["Pinecone", "Turbopuffer"];

// One of the calls to one of the stores: all of them are `npm run campaign:stores`.
it("leaves exactly the published chunks in a hosted store when a process is killed amid its calls", async () => {
  const vendor = VENDORS[Math.floor(Math.random() * VENDORS.length)]!;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  // Of the first document's second batch, or later.
  const choose = (calls: number) => [3 + Math.floor(Math.random() * (calls / 2))];
  const { calls, kills } = await storeCampaign({ vendor, library, choose });
  expect(calls).toBeGreaterThan(10);
  expect({ vendor, faulty: kills.filter(({ faults }) => faults.length > 0) }).toEqual({ vendor, faulty: [] });
  expect(kills.map(({ applied }) => applied)).toEqual([false, true]);
  expect(kills.every(({ published }) => published > 0)).toBe(true);
}, 300_000);
