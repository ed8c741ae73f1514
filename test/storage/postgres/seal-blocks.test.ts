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

it("replaces blocks with the vectors of another set", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  const kb = openOnPostgres(server);
  const database = await PostgresDatabase.open(server.url);
  onTestFinished(() => database.close());
  const queue = new SnapshotQueue(database);
  const maintain = () => queue.write((db) => sealBlocks(db, 1, new Set()));
  await ingestTexts(await newNamespace(kb), ["The lamp is lit."]);
  expect([await maintain(), await maintain()]).toEqual([true, false]);
  // Its worker would maintain the same scope.
  await kb.close();
  await server.query(
    "INSERT INTO odd_vectors SELECT chunk_seq, scope_id, document_seq, generation, ''::bytea, 0 FROM vectors",
  );
  await server.query(
    "UPDATE odd_vectors SET vector = substring(v.vector FOR 8) FROM vectors v WHERE v.chunk_seq = odd_vectors.chunk_seq",
  );
  await server.query("UPDATE scopes SET vector_set = 3");
  expect([await maintain(), await maintain()]).toEqual([true, false]);
  const blocks = await server.query("SELECT vector_set, dimensions, chunks FROM search_blocks");
  expect(blocks.map((block) => Object.values(block as object).map(Number))).toEqual([[3, 2, 1]]);
});
