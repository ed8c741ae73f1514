import { parseArgs } from "node:util";
import { httpFuzzCampaign } from "./http-fuzz-campaign.js";

// npm run campaign:http -- [--requests 10000] [--seed 1]
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
console.log(`seed ${seed}; the same requests again: npm run campaign:http -- --requests ${requests} --seed ${seed}`);
const started = performance.now();
const { faults, ...figures } = await httpFuzzCampaign({
  requests,
  seed,
  onProgress(sent) {
    if (sent % 1000 === 0) console.log(`${sent} requests`);
  },
});
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed, requests, seconds, faults: faults.length, ...figures }));
process.exit(faults.length > 0 ? 1 : 0);
