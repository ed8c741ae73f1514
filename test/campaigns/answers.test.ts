import { expect, it } from "vitest";
import { runAnswerCampaign } from "./answer-campaign.js";
import { TEST_QUESTIONS } from "./answer-questions.js";

it("cites the right sentence first in most test questions, and declines most without an answer", async () => {
  const { right, declined, broken } = await runAnswerCampaign(TEST_QUESTIONS, "MANAGED_STATIC");
  expect(right).toBeGreaterThanOrEqual(20);
  expect(declined).toBeGreaterThanOrEqual(8);
  expect(broken).toBe(0);
});
