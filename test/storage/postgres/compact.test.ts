import { expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { failureOf, ingestTexts } from "../../support/knowledge-base.js";
import { openOnPostgres } from "../../support/open-on-postgres.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

it("lets later rows use the space of deleted ones, between whose tables searches and writes run", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  const kb = openOnPostgres(server);
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  const notes = kb.namespace("notes");
  const text = Array.from({ length: 300 }, (_, index) => `Page ${index}: the keeper lit the lamp.`).join("\n\n");
  await notes.ingestJobs.delete(await ingestTexts(notes, [text]));
  await kb.drain();
  // What others have in the database is theirs.
  await server.query("CREATE TABLE notes AS SELECT generate_series(1, 1000) AS number; DELETE FROM notes");

  const storage = postgresStorage(await openPostgres(server.url), { memoryBytes: 0 });
  onTestFinished(() => storage.close());
  expect(await failureOf(() => storage.compact({ rewrite: true }).next())).toMatchObject({ code: "unsupported" });
  const compaction = storage.compact({ rewrite: false });
  let steps = 0;
  let last = await compaction.next();
  for (; !last.done; steps++, last = await compaction.next()) {
    if (steps % 10 > 0) continue;
    await ingestTexts(notes, [`Storm ${steps} came from the west.`]);
    expect(await notes.search("storm", { mode: "keyword", topK: 100 })).toHaveLength(1 + steps / 10);
  }
  expect(steps).toBeGreaterThan(30);
  expect(last.value).toMatchObject({ places: [{ place: "database" }], remaining: [] });
  const vacuumed = await server.query<{ name: string; dead: number }>(
    "SELECT relname AS name, n_dead_tup AS dead FROM pg_stat_user_tables WHERE vacuum_count > 0",
  );
  expect(vacuumed.length).toBe(steps);
  // The ingests that ran between the tables left some of their own, the deleted document none of its 300.
  expect(vacuumed.find(({ name }) => name === "chunks")!.dead).toBeLessThan(300);
  expect(vacuumed.map(({ name }) => name)).not.toContain("notes");
  expect((await kb.compact()).places).toMatchObject([{ place: "database" }, { place: "files" }]);
});
