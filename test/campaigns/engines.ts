import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { KnowledgeBase } from "lorebase";
import { openTestDatabase, type TestDatabase } from "../support/postgres.js";
import { setup, teardown } from "../support/postgres-server.js";
import { collectionCampaign } from "./collection-campaign.js";
import { engineCampaign } from "./engine-campaign.js";
import { openPostgresEngine, openSqliteEngine } from "./engine-pair.js";

// npm run campaign:engines -- [--cases 10000] [--seed 1], or npm run campaign:engines -- DIRECTORY …
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
setup();
const directory = mkdtempSync(join(tmpdir(), "lorebase-engines-"));
try {
  if (positionals.length > 0) for (const collection of positionals) await compareCollection(collection);
  else await compareRandomSearches();
} finally {
  await teardown();
  rmSync(directory, { recursive: true, force: true });
}

async function compareRandomSearches(): Promise<void> {
  const seed = Number(values.seed);
  console.log(
    `seed ${seed}; the same searches again: npm run campaign:engines -- --cases ${values.cases} --seed ${seed}`,
  );
  const database = await openDatabase();
  const engines = [await openSqliteEngine(directory), await openPostgresEngine(database.url)] as const;
  const started = performance.now();
  const { compared, faults } = await engineCampaign({
    engines,
    cases: Number(values.cases),
    seed,
    onCase: (count) => count % 500 === 0 && console.log(`${count} searches`),
  });
  for (const engine of engines) await engine.close();
  report({ seed, seconds: Math.round((performance.now() - started) / 1000), compared }, faults);
}

/** The queries of a collection in the BEIR layout, by the public class. */
async function compareCollection(collection: string): Promise<void> {
  const database = await openDatabase();
  await using sqlite = new KnowledgeBase({ directory: join(directory, basename(collection)) });
  const inPostgres = { database: database.url, masterKey: "11".repeat(32), sharedDirectory: true };
  await using postgres = new KnowledgeBase({ directory: join(directory, "postgres"), ...inPostgres });
  const { faults, ...figures } = await collectionCampaign({
    knowledgeBases: [sqlite, postgres],
    directory: collection,
  });
  report(figures, faults);
}

async function openDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase();
  if (!database) throw new Error("PostgreSQL is not installed, and LOREBASE_TEST_POSTGRES names no server.");
  return database;
}

function report(figures: object, faults: readonly string[]): void {
  for (const fault of faults) console.log(fault);
  console.log(JSON.stringify({ ...figures, faults: faults.length }));
  if (faults.length > 0) process.exitCode = 1;
}
