import { expect, it, onTestFinished } from "vitest";
import { PostgresDatabase } from "#dist/storage/postgres/postgres-database.js";
import { sealBlocks } from "#dist/storage/postgres/search-index/seal-blocks.js";
import { SnapshotQueue } from "#dist/storage/postgres/search-index/snapshot.js";
import { ingestTexts, newNamespace } from "../../support/knowledge-base.js";
import { openOnPostgres } from "../../support/open-on-postgres.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

it("joins the parts of other scopes when a block of one can't be read", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  const kb = openOnPostgres(server);
  const database = await PostgresDatabase.open(server.url);
  onTestFinished(() => database.close());
  const queue = new SnapshotQueue(database);
  const failed = new Set<number>();
  const maintain = () => queue.write((db) => sealBlocks(db, 1, failed));
  await ingestTexts(await newNamespace(kb), ["The lamp is lit."]);
  expect([await maintain(), await maintain()]).toEqual([true, false]);
  await ingestTexts(await newNamespace(kb), ["The door is open."]);
  // Its worker would maintain the same scopes.
  await kb.close();
  await server.query("UPDATE search_blocks SET words = decode(repeat('ff', 16), 'hex'), dead = chunks");

  await expect(maintain()).rejects.toThrow(/unknown format/);
  expect(await maintain()).toBe(true);
  expect(await server.query("SELECT FROM keyword_parts")).toEqual([]);
  expect(await maintain()).toBe(false);
  // Then it is tried again.
  await expect(maintain()).rejects.toThrow(/unknown format/);
});
