import { parseArgs } from "node:util";
import { crawlCampaign } from "./crawl-campaign.js";

// npm run campaign:crawl -- [--kills 50] [--seed 1] [--library PATH]
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    library: { type: "string", default: new URL("../../dist/index.js", import.meta.url).href },
  },
});
const { kills, seed, library } = values;
console.log(`seed ${seed}; the same kills again: npm run campaign:crawl -- --kills ${kills} --seed ${seed}`);
const started = performance.now();
const { faults, ...figures } = await crawlCampaign({
  kills: Number(kills),
  seed: Number(seed),
  library,
  onKill: (count) => count % 10 === 0 && console.log(`${count} kills`),
});
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed: Number(seed), seconds, ...figures, faults: faults.length }));
process.exitCode = faults.length > 0 ? 1 : 0;
