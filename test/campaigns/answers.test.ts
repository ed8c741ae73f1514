import { expect, it } from "vitest";
import { ANSWER_SETS, runAnswerCampaign } from "./answer-campaign.js";

it.each([
  ["test", 22],
  ["veterinary-practice", 16],
] as const)(
  "cites the right sentence first in most of the set %s, and declines most without an answer",
  async (name, minRight) => {
    const { right, declined, broken } = await runAnswerCampaign(ANSWER_SETS[name], "MANAGED_STATIC");
    expect(right).toBeGreaterThanOrEqual(minRight);
    expect(declined).toBeGreaterThanOrEqual(7);
    expect(broken).toBe(0);
  },
);
