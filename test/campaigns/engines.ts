import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openTestDatabase } from "../support/postgres.js";
import { setup, teardown } from "../support/postgres-server.js";
import { engineCampaign } from "./engine-campaign.js";
import { openPostgresEngine, openSqliteEngine } from "./engine-pair.js";

// npm run campaign:engines -- [--cases 10000] [--seed 1]
const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
console.log(
  `seed ${seed}; the same searches again: npm run campaign:engines -- --cases ${values.cases} --seed ${seed}`,
);
setup();
const directory = mkdtempSync(join(tmpdir(), "lorebase-engines-"));
try {
  const database = await openTestDatabase();
  if (!database) throw new Error("PostgreSQL is not installed, and LOREBASE_TEST_POSTGRES names no server.");
  const engines = [await openSqliteEngine(directory), await openPostgresEngine(database.url)] as const;
  const started = performance.now();
  const { compared, faults } = await engineCampaign({
    engines,
    cases: Number(values.cases),
    seed,
    onCase: (count) => count % 500 === 0 && console.log(`${count} searches`),
  });
  for (const engine of engines) await engine.close();
  for (const fault of faults) console.log(fault);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ seed, seconds, compared, faults: faults.length }));
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await teardown();
  rmSync(directory, { recursive: true, force: true });
}
