import { parseArgs } from "node:util";
import { faultCampaign } from "./fault-campaign.js";
import { cutWal } from "./wal-cuts.js";

// npm run campaign:faults -- [--rounds 200] [--wal-cuts 400] [--seed 1] [--library PATH]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    "wal-cuts": { type: "string", default: "400" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    library: { type: "string", default: new URL("../../dist/index.js", import.meta.url).href },
  },
});
const { rounds, seed, library, "wal-cuts": cuts } = values;
console.log(`seed ${seed}; the same rounds again: npm run campaign:faults -- --rounds ${rounds} --seed ${seed}`);
const started = performance.now();
let told = 0;
const outcome = await faultCampaign({
  rounds: Number(rounds),
  seed: Number(seed),
  library,
  onRound(round, { faults, acknowledged, searches, kills }) {
    for (const fault of faults.slice(told)) console.log(fault);
    told = faults.length;
    const hit = [...kills.values()].filter((count) => count > 0).length;
    if (round % 10 === 0)
      console.log(
        `${round} rounds, ${acknowledged} jobs acknowledged, ${searches} searches, ${hit} of ${kills.size} failpoints hit`,
      );
  },
});
const { faults, kills, ...figures } = outcome;
for (const fault of faults.slice(told)) console.log(fault);
const kinds = Object.fromEntries(
  ["lost", "undead", "unfinished", "doubled", "mixed", "missing", "orphan", "corrupt", "error", "thrown"].map(
    (kind) => [kind, faults.filter((fault) => fault.includes(`: ${kind}: `)).length],
  ),
);
for (const [name, count] of [...kills].sort()) console.log(`${count}  ${name}`);
const atFailpoints = [...kills.values()].reduce((total, count) => total + count, 0);
const missed = [...kills.values()].filter((count) => count === 0).length;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  JSON.stringify({
    ...{ rounds: Number(rounds), seed: Number(seed), seconds },
    ...figures,
    ...{ failpoints: kills.size, missed, atFailpoints },
    ...kinds,
  }),
);
const cut = await cutWal({ cuts: Number(cuts), seed: Number(seed), library });
for (const fault of cut.faults) console.log(fault);
console.log(JSON.stringify({ walCuts: cut.cuts, operations: cut.operations, faults: cut.faults.length }));
process.exitCode = faults.length + cut.faults.length > 0 ? 1 : 0;
