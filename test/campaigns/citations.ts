// Citations in what a language model writes: npm run campaign:citations [-- --outputs 10000 --seed 1]
import { parseArgs } from "node:util";
import { runCitationCampaign } from "./citation-campaign.js";

const { values } = parseArgs({
  options: {
    outputs: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [outputs, seed] = [Number(values.outputs), Number(values.seed)];
console.log(`seed ${seed}; the same again: npm run campaign:citations -- --outputs ${outputs} --seed ${seed}`);
const started = performance.now();
const { faults, ...figures } = await runCitationCampaign({
  outputs,
  seed,
  onProgress(asked) {
    if (asked % 1000 === 0) console.log(`${asked} outputs`);
  },
});
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed, outputs, seconds, violations: faults.length, ...figures }));
if (faults.length > 0) process.exitCode = 1;
