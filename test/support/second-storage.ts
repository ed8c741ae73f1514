import { PGlite, type Transaction } from "@electric-sql/pglite";
import { openMemorySitePace } from "#dist/net/site-pace.js";
import { MemoryCallCounter } from "#dist/storage/call-counter.js";
import { createRecords } from "#dist/storage/facade.js";
import { LOCKS } from "#dist/storage/locks.js";
import { RECORDS } from "#dist/storage/records/index.js";
import { forOneRow } from "#dist/storage/row-statement.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import type { StorageInspection } from "../../src/storage/check/storage-inspection.js";
import type { Operation, Step } from "../../src/storage/operation.js";
import type { RowStatement, StatementRow } from "../../src/storage/row-statement.js";
import type { SqlValue } from "../../src/storage/sql-value.js";
import type { Storage } from "../../src/storage/storage.js";
import type { Dialect, Tx } from "../../src/storage/tx.js";
import { type IndexedDocument, type IndexRecords, MemorySearchIndex } from "./memory-search-index.js";

/** `bigint`, as counts and sequence numbers have it. */
const INT8 = 20;

const POSTGRES: Dialect = {
  jsonField: (json, field) => `((${json})::json ->> '${field}')`,
  inJsonList: (value) => `${value} IN (SELECT json_array_elements_text(?::json))`,
  lockingRows: "FOR UPDATE",
  greater: (a, b) => `greatest(${a}, ${b})`,
  counter: (table, column) => `pg_sequence_last_value(pg_get_serial_sequence('${table}', '${column}')::regclass)`,
  setCounter: (table, column) => `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ?)`,
};

/** A server in memory, which takes seconds to start. */
export function startPglite(): PGlite {
  return new PGlite({ parsers: { [INT8]: Number } });
}

/**
 * A second engine: records in PostgreSQL, whose every statement is waited for, and a search index in memory. Empties the
 * server first.
 */
export async function openSecondStorage(database: PGlite): Promise<Storage> {
  await database.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public;");
  for (const { sql } of MIGRATIONS) await database.exec(toPostgres(sql));
  await database.exec(COUNTS);
  const index = new MemorySearchIndex((work) => database.transaction((transaction) => work(recordsOf(transaction))));
  const run = (name: string, argument: unknown) =>
    database.transaction(async (transaction) => {
      const query = async (sql: string, parameters: readonly SqlValue[]) => {
        let next = 0;
        return transaction.query<Record<string, unknown>>(
          sql.replace(/\?/g, () => `$${++next}`),
          [...parameters],
        );
      };
      const queryRows = async (statement: RowStatement, rows: readonly StatementRow[]) => {
        const { sql, parameters } = forOneRow(statement);
        const found = [];
        for (const row of rows) found.push(...(await query(sql, parameters(row))).rows);
        return found;
      };
      const tx: Tx = {
        dialect: POSTGRES,
        index: index.writer,
        get: (sql, ...parameters) => waiting(query(sql, parameters).then(({ rows }) => rows[0] as never)),
        all: (sql, ...parameters) => waiting(query(sql, parameters).then(({ rows }) => rows as never)),
        run: (sql, ...parameters) => waiting(query(sql, parameters).then(({ affectedRows }) => affectedRows ?? 0)),
        exec: (sql, ...parameters) => waiting(query(sql, parameters).then(() => undefined)),
        allRows: (statement, rows) => waiting(queryRows(statement, rows) as never),
        execRows: (statement, rows) => waiting(queryRows(statement, rows).then(() => undefined)),
        lock: (kind, id) => waiting(query(`${LOCKS[kind]} FOR UPDATE`, [id]).then(() => undefined)),
      };
      const [noun, verb] = name.split(".") as [keyof typeof RECORDS, string];
      const operations: Readonly<Record<string, (tx: Tx, argument: never) => Operation<unknown>>> = RECORDS[noun];
      return runToEnd(operations[verb]!(tx, argument as never));
    });
  return {
    ...createRecords((_mode, name, argument) => run(name, argument)),
    index,
    openSnapshot,
    inspect,
    isFull: async () => false,
    measure: async () => ({ walBytes: null, databaseBytes: null, scanMemoryBytes: 0 }),
    calls: new MemoryCallCounter(),
    openSitePace: openMemorySitePace,
    workSignals: null,
    close: async () => {},
  };
}

const openSnapshot = () => Promise.reject(new Error("The second storage has no snapshots."));
/** What only SQLite and PostgreSQL check. */
async function inspect(): Promise<StorageInspection> {
  throw new Error("The second storage has nothing of its own to check.");
}

function recordsOf(transaction: Transaction): IndexRecords {
  const find = async <Row>(sql: string, ...values: unknown[]) => (await transaction.query<Row>(sql, values)).rows;
  return {
    async scopeId({ namespaceId, tenantId }) {
      const scopes = await find<{ id: number }>(
        "SELECT id FROM scopes WHERE namespace_id = $1 AND coalesce(tenant_id, '') = $2",
        namespaceId,
        tenantId ?? "",
      );
      return scopes[0]?.id ?? null;
    },
    documents: (scopeId) => find<IndexedDocument>(`${DOCUMENTS} WHERE scope_id = $1 ORDER BY seq`, scopeId),
    document: async (id) => (await find<IndexedDocument>(`${DOCUMENTS} WHERE id = $1`, id))[0] ?? null,
  };
}

const DOCUMENTS = `SELECT seq, id, scope_id AS "scopeId", generation, status, content_hash AS "contentHash" FROM documents`;

/** Waits for each step of an operation. */
async function runToEnd<Result>(operation: Operation<Result>): Promise<Result> {
  let step = operation.next();
  while (!step.done) {
    try {
      const answer = await step.value;
      step = operation.next(answer);
    } catch (error) {
      step = operation.throw(error);
    }
  }
  return step.value;
}

function waiting<Result>(answer: Promise<Result>): Step<Result> {
  return {
    *[Symbol.iterator]() {
      return (yield answer) as Result;
    },
  };
}

/** The schema of SQLite in PostgreSQL's words, without its triggers and what moves the rows of older versions. */
function toPostgres(sql: string): string {
  return sql
    .replace(/CREATE TRIGGER[\s\S]*?\nEND;/g, "")
    .replace(/^(?:DELETE|UPDATE|INSERT)[\s\S]*?;$/gm, "")
    .replace(/\)\s*STRICT(?:, WITHOUT ROWID)?;/g, ");")
    .replace(/INTEGER PRIMARY KEY AUTOINCREMENT/g, "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
    .replace(/\bINTEGER\b/g, "BIGINT")
    .replace(/\bBLOB\b/g, "BYTEA")
    .replace(/\bANY\b/g, "TEXT");
}

/** The counts of a crawl's pages, which SQLite keeps by triggers. */
const COUNTS = `
DROP TABLE crawl_page_counts;
CREATE VIEW crawl_page_counts AS
  SELECT ingest_job_id, round, state, CASE WHEN state = 'failed' THEN '' ELSE coalesce(reason, '') END AS reason,
    count(*) AS pages
  FROM crawl_pages GROUP BY 1, 2, 3, 4;`;
