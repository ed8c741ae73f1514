import pg from "pg";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { PostgresTx } from "#dist/storage/postgres/postgres-tx.js";
import { runOperation } from "#dist/storage/postgres/run-operation.js";
import { StatementTexts } from "#dist/storage/postgres/statement-text.js";
import type { Operation } from "../../../src/storage/operation.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

/** A transaction on a connection with an empty table `notes`, and what the table has for others. */
async function openTx({ skip }: TestContext) {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  onTestFinished(() => server.drop());
  await server.query("CREATE TABLE notes (id bigint)");
  const pool = new pg.Pool({ connectionString: server.url, max: 1 });
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  onTestFinished(() => client.release());
  return {
    client,
    tx: new PostgresTx(client, new StatementTexts()),
    notes: () => server.query("SELECT id FROM notes"),
  };
}

function* writeAndRead(tx: PostgresTx): Operation<readonly unknown[]> {
  yield* tx.exec("INSERT INTO notes VALUES (1)");
  yield* tx.exec("INSERT INTO notes SELECT max(id) + 1 FROM notes");
  return yield* tx.all("SELECT id::int AS id FROM notes ORDER BY id");
}

it("runs statements in their order, those too that were sent before the transaction had begun", async (context) => {
  const { client, tx, notes } = await openTx(context);
  const begun = tx.begin("BEGIN");
  expect(await runOperation(writeAndRead(tx))).toEqual([{ id: 1 }, { id: 2 }]);
  await begun;
  expect(await notes()).toEqual([]);
  await client.query("ROLLBACK");
  expect(tx.failure).toBeNull();
});

it("writes nothing outside a transaction that failed to begin", async (context) => {
  const { tx, notes } = await openTx(context);
  const begun = tx.begin("SELECT 1 / 0");
  await expect(runOperation(writeAndRead(tx))).rejects.toThrow("A transaction could not begin: division by zero");
  await begun;
  expect(await notes()).toEqual([]);
});

it("fails a read whose transaction failed to begin", async (context) => {
  const { tx } = await openTx(context);
  void tx.begin("SELECT 1 / 0");
  const read = function* (): Operation<unknown> {
    return yield* tx.get("SELECT 1 AS one");
  };
  await expect(runOperation(read())).rejects.toThrow("A transaction could not begin: division by zero");
});
