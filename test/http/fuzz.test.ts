import { expect, it } from "vitest";
import { httpFuzzCampaign } from "../campaigns/http-fuzz-campaign.js";

it("answers random requests in time and with the envelope", async () => {
  const seed = Date.now() % 1_000_000;
  const { faults, statuses } = await httpFuzzCampaign({ requests: 300, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "400", "401", "404", "422"]));
});
