import { parseArgs } from "node:util";
import { setup, teardown } from "../support/postgres-server.js";
import { postgresCampaign } from "./postgres-campaign.js";

// npm run campaign:postgres -- [--tasks 20000] [--processes 4] [--kills 60]
const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "20000" },
    processes: { type: "string", default: "4" },
    kills: { type: "string", default: "60" },
  },
});
const counts = { tasks: Number(values.tasks), processes: Number(values.processes), kills: Number(values.kills) };
setup();
try {
  const outcome = await postgresCampaign({ ...counts, leaseMs: 1000 });
  for (const fault of outcome?.faults ?? ["There is no PostgreSQL server."]) console.log(fault);
  console.log(JSON.stringify({ ...counts, ...outcome, faults: outcome?.faults.length }));
  process.exitCode = outcome?.faults.length === 0 ? 0 : 1;
} finally {
  await teardown();
}
