import { expect, it } from "vitest";
import { webhookCampaign } from "./webhook-campaign.js";

it("loses, forges and reorders no events when processes are killed and the receiver fails", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, acknowledged, deliveries } = await webhookCampaign({ rounds: 2, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(acknowledged).toBeGreaterThan(0);
  expect(deliveries).toBeGreaterThan(acknowledged);
}, 180_000);
