import { expect, it, onTestFinished } from "vitest";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { migrateCampaign } from "./migrate-campaign.js";

it("migrates there and back while processes are killed", async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const seed = Date.now() % 1_000_000;
  const outcome = await migrateCampaign({ url: database.url, chunks: 400, kills: 2, seed });
  expect({ seed, faults: outcome.faults }).toEqual({ seed, faults: [] });
  expect(outcome.kills).toBeGreaterThan(0);
  expect(outcome.comparedHits).toBeGreaterThan(300);
}, 180_000);
