import { parseArgs } from "node:util";
import { corruptionCampaign, sizeCampaign } from "./bundle-campaign.js";

// npm run campaign:bundles -- [--bundles 5000] [--chunks 100000] [--seed 1]
const { values } = parseArgs({
  options: {
    bundles: { type: "string", default: "5000" },
    chunks: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [bundles, chunks, seed] = [values.bundles, values.chunks, values.seed].map(Number) as [number, number, number];
let failed = false;
if (chunks > 0) {
  const onStep = (step: string, seconds: number, mb: number) => console.log(JSON.stringify({ step, seconds, mb }));
  const outcome = await sizeCampaign({ chunks, onStep });
  console.log(JSON.stringify(outcome));
  failed ||= outcome.differences.length > 0;
}
if (bundles > 0) {
  const outcome = await corruptionCampaign({ bundles, seed, onProgress: (done) => console.log(`${done} bundles`) });
  console.log(JSON.stringify(outcome));
  failed ||= outcome.faults.length > 0;
}
process.exitCode = failed ? 1 : 0;
