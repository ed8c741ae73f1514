import { parseArgs } from "node:util";
import { setup, teardown } from "../support/postgres-server.js";
import { deploymentCampaign } from "./deployment-campaign.js";

// npm run campaign:deployment -- [--rounds 3]
const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
setup();
try {
  const outcome = await deploymentCampaign({ rounds: Number(values.rounds) });
  for (const fault of outcome?.faults ?? ["There is no PostgreSQL server."]) console.log(fault);
  console.log(JSON.stringify({ ...outcome, faults: outcome?.faults.length }));
  process.exitCode = outcome?.faults.length === 0 ? 0 : 1;
} finally {
  await teardown();
}
