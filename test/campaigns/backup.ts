import { parseArgs } from "node:util";
import { backupCampaign } from "./backup-campaign.js";

// npm run campaign:backup -- [--rounds 10] [--texts 5000] [--megabytes 32]
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    texts: { type: "string", default: "5000" },
    megabytes: { type: "string", default: "32" },
  },
});
const outcome = await backupCampaign({
  rounds: Number(values.rounds),
  texts: Number(values.texts),
  bytesPerSecond: Number(values.megabytes) * 1024 * 1024,
  measuredMs: 10_000,
  onRound: (round) => console.log(JSON.stringify(round)),
});
console.log(JSON.stringify(outcome));
process.exitCode = outcome.faults.length > 0 ? 1 : 0;
