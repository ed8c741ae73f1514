import { parseArgs } from "node:util";
import { faultCampaign } from "./fault-campaign.js";

// npm run campaign:faults -- [--rounds 200] [--seed 1] [--library PATH]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    library: { type: "string", default: new URL("../../dist/index.js", import.meta.url).href },
  },
});
const { rounds, seed, library } = values;
console.log(`seed ${seed}; the same rounds again: npm run campaign:faults -- --rounds ${rounds} --seed ${seed}`);
const started = performance.now();
let told = 0;
const outcome = await faultCampaign({
  rounds: Number(rounds),
  seed: Number(seed),
  library,
  onRound(round, { faults, acknowledged, searches }) {
    for (const fault of faults.slice(told)) console.log(fault);
    told = faults.length;
    if (round % 10 === 0) console.log(`${round} rounds, ${acknowledged} jobs acknowledged, ${searches} searches`);
  },
});
const { faults, ...figures } = outcome;
for (const fault of faults.slice(told)) console.log(fault);
const kinds = Object.fromEntries(
  ["lost", "undead", "unfinished", "doubled", "mixed", "missing", "orphan", "corrupt", "error", "thrown"].map(
    (kind) => [kind, faults.filter((fault) => fault.includes(`: ${kind}: `)).length],
  ),
);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed: Number(seed), seconds, ...figures, ...kinds }));
process.exitCode = faults.length > 0 ? 1 : 0;
