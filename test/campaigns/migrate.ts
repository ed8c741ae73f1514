import { parseArgs } from "node:util";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { setup, teardown } from "../support/postgres-server.js";
import { migrateCampaign } from "./migrate-campaign.js";

// npm run campaign:migrate -- [--chunks 100000] [--kills 20] [--seed 1]
const { values } = parseArgs({
  options: {
    chunks: { type: "string", default: "100000" },
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
setup();
const database = await openTestDatabase();
try {
  if (!database) throw new Error(POSTGRES_MISSING);
  const [chunks, kills, seed] = [values.chunks, values.kills, values.seed].map(Number) as [number, number, number];
  const outcome = await migrateCampaign({
    url: database.url,
    chunks,
    kills,
    seed,
    onStep: (step) => console.log(`${Math.round(performance.now() / 1000)} s: ${step}`),
  });
  console.log(JSON.stringify({ seed, ...outcome }));
  process.exitCode = outcome.faults.length > 0 ? 1 : 0;
} finally {
  await database?.drop();
  teardown();
}
