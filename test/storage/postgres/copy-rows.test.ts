import fc from "fast-check";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { PostgresDatabase } from "#dist/storage/postgres/postgres-database.js";
import type { CopyParameter } from "../../../src/storage/postgres/copy-rows.js";
import { failureOf } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

const COLUMNS = { number: "bigint", content: "bytes" } as const;

async function openDatabase({ skip }: TestContext): Promise<PostgresDatabase> {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  onTestFinished(() => server.drop());
  const database = await PostgresDatabase.open(server.url);
  onTestFinished(() => database.close());
  return database;
}

function copy(database: PostgresDatabase, sql: string, ...parameters: CopyParameter[]) {
  return database.read(function* (tx) {
    return yield* tx.copy(COLUMNS, sql, ...parameters);
  });
}

it("copies integers and bytes as they are, each bytes in their own buffer", async (context) => {
  const database = await openDatabase(context);
  const rows = fc.array(
    fc.record({ number: fc.maxSafeInteger(), content: fc.uint8Array({ maxLength: 300, size: "max" }) }),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      // A literal with a placeholder's character, and a list.
      const sql = `SELECT g.number, g.content FROM unnest(?::bigint[], ARRAY[${given
        .map(({ content }) => `'\\x${Buffer.from(content).toString("hex")}'`)
        .join()}]::bytea[]) AS g (number, content) WHERE '?' = '?' AND g.number <= ?`;
      const numbers = given.map(({ number }) => number);
      expect(await copy(database, sql, numbers, Number.MAX_SAFE_INTEGER)).toEqual(given);
    }),
    { numRuns: 20 },
  );
});

it("copies rows that come in many packets, while other statements run", async (context) => {
  const database = await openDatabase(context);
  const sql =
    "SELECT n, decode(repeat(lpad(to_hex(n), 2, '0'), 3000000), 'hex') FROM generate_series(1, ?::bigint) AS n";
  const [copied, other] = await database.read(function* (tx) {
    const copy = tx.copy(COLUMNS, sql, 3);
    const one = tx.get<{ one: number }>("SELECT 1 AS one");
    return [yield* copy, yield* one] as const;
  });
  expect(other).toEqual({ one: 1 });
  expect(copied.map(({ number, content }) => [number, content.length, content[0], content.at(-1)])).toEqual(
    [1, 2, 3].map((n) => [n, 3_000_000, n, n]),
  );
  expect(copied.map(({ content }) => [content.byteOffset, content.buffer.byteLength])).toEqual(
    [1, 2, 3].map(() => [0, 3_000_000]),
  );
});

it("fails with the error of the server, after rows too, and the connection is used again", async (context) => {
  const database = await openDatabase(context);
  for (const sql of ["SELECT nothing", "SELECT 10 / (3 - n), ''::bytea FROM generate_series(1, 3::bigint) AS n"])
    expect(await failureOf(() => copy(database, sql))).toMatchObject({ code: "store_failed" });
  expect(await copy(database, "SELECT 7::bigint, '\\x07'::bytea")).toEqual([{ number: 7, content: Uint8Array.of(7) }]);
});

it("fails for NULL, and the connection is used again", async (context) => {
  const database = await openDatabase(context);
  const failure = await failureOf(() => copy(database, "SELECT NULL::bigint, NULL::bytea"));
  expect(failure?.message).toContain("The column number of a copied row is NULL.");
  expect(await copy(database, "SELECT 1::bigint, '\\x01'::bytea")).toEqual([
    { number: 1, content: new Uint8Array([1]) },
  ]);
});
