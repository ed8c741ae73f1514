import { parseArgs } from "node:util";
import { mutationCampaign } from "./mutation-campaign.js";

// npm run campaign:mutations -- [--files 5000] [--seed 1]
const { values } = parseArgs({
  options: {
    files: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [files, seed] = [Number(values.files), Number(values.seed)];
console.log(`seed ${seed}; the same files again: npm run campaign:mutations -- --files ${files} --seed ${seed}`);
const started = performance.now();
const { faults, ...figures } = await mutationCampaign({
  files,
  seed,
  onFile: (done) => {
    if (done % 500 === 0) console.log(`${done} files`);
  },
});
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed, files, seconds, ...figures, faults: faults.length }));
process.exitCode = faults.length > 0 ? 1 : 0;
