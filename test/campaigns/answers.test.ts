import { expect, it } from "vitest";
import { runAnswerCampaign } from "./answer-campaign.js";
import { TEST_QUESTIONS, TUNING_QUESTIONS } from "./answer-questions.js";

it("cites the right sentence first in most of sixty questions, and declines most of twenty without an answer", async () => {
  const questions = [...TUNING_QUESTIONS, ...TEST_QUESTIONS];
  const { right, declined, broken } = await runAnswerCampaign(questions, "MANAGED_STATIC");
  expect(right).toBeGreaterThanOrEqual(44);
  expect(declined).toBeGreaterThanOrEqual(16);
  expect(broken).toBe(0);
});
