// Answers without a language model: npm run campaign:answers [-- --embedding MANAGED_LEXICAL]
import { parseArgs } from "node:util";
import { runAnswerCampaign } from "./answer-campaign.js";
import { TEST_QUESTIONS, TUNING_QUESTIONS } from "./answer-questions.js";

const { values } = parseArgs({ options: { embedding: { type: "string", default: "MANAGED_STATIC" } } });
for (const [name, questions] of Object.entries({ tuning: TUNING_QUESTIONS, test: TEST_QUESTIONS })) {
  const { mistakes, ...figures } = await runAnswerCampaign(questions, values.embedding);
  for (const mistake of mistakes) console.log(mistake);
  console.log(JSON.stringify({ questions: name, ...figures }));
  if (figures.broken > 0) process.exitCode = 1;
}
