import { expect, it, onTestFinished } from "vitest";
import { checkScope } from "#dist/storage/postgres/check/check-scope.js";
import { repairScope } from "#dist/storage/postgres/check/repair-scope.js";
import { PostgresDatabase } from "#dist/storage/postgres/postgres-database.js";
import { sealBlocks } from "#dist/storage/postgres/search-index/seal-blocks.js";
import { SnapshotQueue } from "#dist/storage/postgres/search-index/snapshot.js";
import type { DerivedPart } from "../../../src/storage/check/storage-inspection.js";
import type { Operation, Step } from "../../../src/storage/operation.js";
import type { IndexDatabase, IndexTx, IndexValue } from "../../../src/storage/postgres/search-index/index-database.js";
import { failureOf, newNamespace } from "../../support/knowledge-base.js";
import { openOnPostgres } from "../../support/open-on-postgres.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

const DAMAGE = `WITH parts AS (UPDATE keyword_parts SET positions = substr(positions, 1, 2)),
  doubled AS (INSERT INTO chunk_metadata SELECT * FROM chunk_metadata WHERE chunk_seq % 3 = 0)
  DELETE FROM chunk_metadata WHERE chunk_seq % 3 = 1`;

it("repairs an index while documents are ingested and deleted between reading and locking", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  const kb = openOnPostgres(server);
  const handle = await newNamespace(kb);
  const ingest = async (from: number, count: number) => {
    const items = Array.from({ length: count }, (_, index) => {
      return { type: "TEXT" as const, text: `Lamp number ${from + index} is lit.`, config: { metadata: { from } } };
    });
    await handle.ingest({ type: "BATCH", items }).done();
  };
  await ingest(0, 30);
  await kb.drain();
  await server.query(DAMAGE);

  // In transactions of the repair, before they lock what they have compared.
  let changes = 0;
  const change = async () => {
    if (changes === 8) return;
    const { items } = await handle.documents.list({ perPage: 100 });
    for (const { id } of [items[0]!, items.at(-1)!]) await handle.documents.delete(id);
    await ingest(100 + changes++, 2);
    await kb.drain();
    expect((await handle.search("lamp", { mode: "keyword", topK: 100 })).length).toBeGreaterThan(0);
  };
  const database = await PostgresDatabase.open(server.url, { answerMs: null });
  onTestFinished(() => database.close());
  const disturbed: IndexDatabase = {
    isWriting: false,
    read: (operation, options) => database.read(operation, options),
    write: (operation, options) => database.write((tx) => operation(beforeLocks(tx, change)), options),
  };
  const [scope] = await server.query<{ id: number }>("SELECT id FROM scopes");
  for (const part of ["metadata", "keywords"] satisfies DerivedPart[])
    await repairScope(disturbed, { scopeId: scope!.id, part });

  expect(changes).toBe(8);
  const summaries = [];
  for await (const event of kb.check()) if (event.type === "summary") summaries.push(event.summary);
  expect(summaries).toEqual([expect.objectContaining({ findings: 0 })]);
  const { items } = await handle.documents.list({ perPage: 100 });
  const hits = await handle.search("lamp", { mode: "keyword", topK: 100 });
  expect(new Set(hits.map(({ text }) => text)).size).toBe(items.length);
  expect(hits.length).toBe(items.length);
});

it("repairs words that maintenance joins to a block before they are replaced, or says that they still differ", async ({
  skip,
}) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  const kb = openOnPostgres(server);
  const items = ["The lamp is lit.", "The door is open."].map((text) => ({ type: "TEXT" as const, text }));
  await (await newNamespace(kb)).ingest({ type: "BATCH", items }).done();
  await kb.drain();

  const database = await PostgresDatabase.open(server.url);
  onTestFinished(() => database.close());
  const maintenance = new SnapshotQueue(database);
  const change = () => server.query("UPDATE chunks SET text = text || ' Again.', index_text = NULL");
  const disturbedBy = (happen: () => Promise<unknown>): IndexDatabase => ({
    isWriting: false,
    read: (operation, options) => happen().then(() => database.read(operation, options)),
    write: (operation, options) => happen().then(() => database.write(operation, options)),
  });
  const [scope] = await server.query<{ id: number }>("SELECT id FROM scopes");
  const repair = { scopeId: scope!.id, part: "keywords" as const };
  const findings = () => database.read((tx) => checkScope(tx, repair));

  await change();
  expect(await findings()).toHaveLength(1);
  const maintain = () => maintenance.write((db) => sealBlocks(db, 1, new Set()));
  await repairScope({ ...disturbedBy(maintain), read: (operation) => database.read(operation) }, repair);
  expect(await findings()).toEqual([]);

  const failure = await failureOf(() => repairScope(disturbedBy(change), repair));
  expect(failure).toMatchObject({ code: "store_failed", retryable: false });
  expect(await findings()).toHaveLength(1);
});

/** A transaction in which something happens before each statement that locks rows. */
function beforeLocks(tx: IndexTx, happen: () => Promise<void>): IndexTx {
  const step = <Result>(sql: string, original: Step<Result>): Step<Result> => ({
    *[Symbol.iterator](): Operation<Result> {
      if (sql.includes("FOR NO KEY UPDATE")) yield happen();
      return yield* original;
    },
  });
  return {
    get: <Row>(sql: string, ...values: IndexValue[]) => step(sql, tx.get<Row>(sql, ...values)),
    all: <Row>(sql: string, ...values: IndexValue[]) => step(sql, tx.all<Row>(sql, ...values)),
    copy: tx.copy.bind(tx),
    run: (sql, ...values) => step(sql, tx.run(sql, ...values)),
    exec: (sql, ...values) => step(sql, tx.exec(sql, ...values)),
  };
}
