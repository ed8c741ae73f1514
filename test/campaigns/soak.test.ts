import { expect, it } from "vitest";
import { soakCampaign } from "./soak-campaign.js";

it.runIf(process.platform === "linux")(
  "searches find what is stored while documents come and go, without an error or another descriptor",
  async () => {
    const outcome = await soakCampaign({
      seconds: 3,
      warmUpSeconds: 1,
      documents: 40,
      searchesPerSecond: 50,
      writesPerSecond: 5,
      seed: 1,
    });
    expect(outcome.shown).toEqual([]);
    expect(outcome.searches).toBe(150);
    expect(outcome.ingested).toBe(15);
    expect(outcome.deleted).toBeGreaterThan(5);
    expect(outcome.descriptors.last).toBeLessThanOrEqual(outcome.descriptors.first);
    expect(outcome.checked.documents).toBe(outcome.documents);
  },
  120_000,
);
