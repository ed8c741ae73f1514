import { parseArgs } from "node:util";
import { reembedCampaign } from "./reembed-campaign.js";

// npm run campaign:reembed -- [--rounds 100] [--seed 1] [--store] [--library PATH]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    store: { type: "boolean", default: false },
    library: { type: "string", default: new URL("../../dist/index.js", import.meta.url).href },
  },
});
const { rounds, seed, store: withStore, library } = values;
console.log(
  `seed ${seed}; the same rounds again: npm run campaign:reembed -- --rounds ${rounds} --seed ${seed}${withStore ? " --store" : ""}`,
);
const { faults, ...figures } = await reembedCampaign({
  rounds: Number(rounds),
  seed: Number(seed),
  ...{ withStore, library },
  onRound(round, { killed, steps, faults }) {
    if (round % 10 === 0)
      console.log(`${round} rounds, ${killed} killed, ${JSON.stringify(steps)}, ${faults.length} faults`);
  },
});
for (const fault of faults) console.log(fault);
console.log(JSON.stringify({ seed: Number(seed), rounds: Number(rounds), ...figures, faults: faults.length }));
process.exitCode = faults.length > 0 ? 1 : 0;
