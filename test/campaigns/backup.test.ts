import { expect, it } from "vitest";
import { backupCampaign } from "./backup-campaign.js";

it("backs up every acknowledged write while writes and searches go on", async () => {
  const outcome = await backupCampaign({ rounds: 1, texts: 500, bytesPerSecond: 4 * 1024 * 1024, measuredMs: 1000 });
  expect(outcome.faults).toEqual([]);
  expect(outcome.writes).toBeGreaterThan(100);
  expect(outcome.searches).toBeGreaterThan(20);
}, 180_000);
