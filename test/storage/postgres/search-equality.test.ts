import { afterAll, expect, it } from "vitest";
import { engineCampaign } from "../../campaigns/engine-campaign.js";
import { openPostgresEngine, openSqliteEngine } from "../../campaigns/engine-pair.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

it.skipIf(!database)(
  `finds the same with the same scores as SQLite, after any changes${database ? "" : ` (${POSTGRES_MISSING})`}`,
  { timeout: 180_000 },
  async () => {
    const seed = Date.now() % 1_000_000;
    const engines = [await openSqliteEngine(temporaryDirectory()), await openPostgresEngine(database!.url)] as const;
    const { faults, compared } = await engineCampaign({ engines, cases: 60, seed });
    for (const engine of engines) await engine.close();
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    expect(compared).toBe(60);
  },
);
