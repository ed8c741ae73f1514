import { expect, it } from "vitest";
import { runTableCampaign } from "./table-campaign.js";

it("cites the row that answers a question about a cell of a large table first, in its own place", async () => {
  const { questions, placed, missed } = await runTableCampaign({
    ...{ seed: 2, isSorted: true, questions: [3, 3, 6] },
    embeddingConfig: { provider: "MANAGED_LEXICAL" },
  });
  expect({ questions, placed, missed }).toEqual({ questions: 12, placed: 12, missed: [] });
});
