// Answers without a language model: npm run campaign:answers [-- --embedding MANAGED_LEXICAL]
import { parseArgs } from "node:util";
import { ANSWER_SETS, runAnswerCampaign } from "./answer-campaign.js";

const { values } = parseArgs({ options: { embedding: { type: "string", default: "MANAGED_STATIC" } } });
for (const [name, set] of Object.entries(ANSWER_SETS)) {
  const { mistakes, ...figures } = await runAnswerCampaign(set, values.embedding);
  for (const mistake of mistakes) console.log(mistake);
  console.log(JSON.stringify({ set: name, ...figures }));
  if (figures.broken > 0) process.exitCode = 1;
}
