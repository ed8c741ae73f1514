import { parseArgs } from "node:util";
import { typoCampaign } from "./typo-campaign.js";

// Searches for misspelled words of collections: npm run campaign:typos -- [--words 1000] [--seed 1] DIRECTORY …
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { words: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const [words, seed] = [Number(values.words), Number(values.seed)];
for (const directory of positionals) console.log(JSON.stringify(await typoCampaign({ directory, words, seed })));
