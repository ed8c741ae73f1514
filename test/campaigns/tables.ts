// Questions about cells of large tables: npm run campaign:tables [-- --seed 1 --embedding MANAGED_LEXICAL]
import { parseArgs } from "node:util";
import { runTableCampaign } from "./table-campaign.js";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, embedding: { type: "string", default: "MANAGED_LEXICAL" } },
});
const [seed, embedding] = [Number(values.seed), values.embedding];
for (const isSorted of [true, false]) {
  const questions = [14, 13, 13] as const;
  const { missed, ...figures } = await runTableCampaign({
    seed,
    isSorted,
    questions,
    embeddingConfig: { provider: embedding },
  });
  for (const question of missed) console.log(question);
  console.log(JSON.stringify({ seed, embedding, isSorted, ...figures }));
}
