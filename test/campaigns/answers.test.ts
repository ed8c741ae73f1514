import { expect, it } from "vitest";
import { runAnswerCampaign } from "./answer-campaign.js";
import { TEST_QUESTIONS } from "./answer-questions.js";

it("cites the right sentence first in four of five questions, and declines four of five without an answer", async () => {
  const { right, answerable, declined, unanswerable, broken } = await runAnswerCampaign(
    TEST_QUESTIONS,
    "MANAGED_STATIC",
  );
  expect(right).toBeGreaterThanOrEqual(answerable * 0.8);
  expect(declined).toBeGreaterThanOrEqual(unanswerable * 0.8);
  expect(broken).toBe(0);
});
