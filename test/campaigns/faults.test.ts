import { expect, it } from "vitest";
import { faultCampaign } from "./fault-campaign.js";
import { cutWal } from "./wal-cuts.js";

const seed = Date.now() % 1_000_000;
const library = new URL("../../dist/index.js", import.meta.url).href;

it("loses, doubles and mixes nothing when processes are killed", { timeout: 180_000 }, async () => {
  const { faults, acknowledged, checks, deliveries, kills } = await faultCampaign({ rounds: 2, seed, library });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(acknowledged).toBeGreaterThan(2);
  expect(checks).toBeGreaterThan(0);
  expect(deliveries).toBeGreaterThan(0);
  // Every commit is a failpoint, and the name of one that every process passes.
  expect([...kills.keys()]).toEqual(
    expect.arrayContaining(["tasks.reclaim before commit", "tasks.reclaim after commit"]),
  );
});

it("opens with what was acknowledged when its log is cut", async () => {
  const { faults } = await cutWal({ cuts: 3, seed, library });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
});
