import { parseArgs } from "node:util";
import { webhookCampaign } from "./webhook-campaign.js";

// npm run campaign:webhooks -- [--rounds 100] [--seed 1]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const { rounds, seed } = values;
console.log(`seed ${seed}; the same rounds again: npm run campaign:webhooks -- --rounds ${rounds} --seed ${seed}`);
const started = performance.now();
const { faults, ...figures } = await webhookCampaign({
  rounds: Number(rounds),
  seed: Number(seed),
  onRound: (round) => round % 10 === 0 && console.log(`${round} rounds`),
});
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed: Number(seed), seconds, ...figures, faults: faults.length }));
process.exitCode = faults.length > 0 ? 1 : 0;
