import { parseArgs } from "node:util";
import { KnowledgeBase } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { providerOf } from "../support/providers.js";
import { leakCampaign } from "./leak-campaign.js";

// npm run campaign:leaks -- [--corpora 1000] [--seed 1] [--database postgres://…]
const { values } = parseArgs({
  options: {
    corpora: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    database: { type: "string" },
  },
});
const [corpora, seed] = [Number(values.corpora), Number(values.seed)];
const storage = values.database
  ? { database: values.database, masterKey: "11".repeat(32) }
  : { directory: ":memory:" as const };
await using kb = new KnowledgeBase({
  ...storage,
  defaultEmbedding: { provider: "MANAGED_LEXICAL" },
  vectorStores: [providerOf(memoryVectorStore())],
});
const { faults, ...compared } = await leakCampaign({
  kb,
  vectorStores: ["MANAGED_SQLITE_VEC", "MEMORY"],
  corpora,
  seed,
  onCorpus: (done) => done % 50 === 0 && console.log(`${done} corpora`),
});
for (const fault of faults.slice(0, 30)) console.log(fault);
console.log(JSON.stringify({ corpora, seed, ...compared, faults: faults.length }));
if (faults.length > 0) process.exitCode = 1;
