import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { getErrorMessage } from "../../errors.js";
import { isTooOld } from "../../vector-stores/pgvector/version.js";
import { checkHistory } from "../migration-history.js";
import type { Operation } from "../operation.js";
import { countByKey } from "../records/sealed-values.js";
import type { Tx } from "../tx.js";
import { listMasterKeys } from "./master-keys.js";
import { appliedMigrations } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openClient } from "./open-pools.js";
import { PostgresDatabase } from "./postgres-database.js";
import { readServerTime } from "./server-clock.js";

/** A process without a heartbeat for this long is gone. */
const ALIVE_MS = 60_000;
/** Transactions that are open for longer hold up vacuum. */
const LONG_TRANSACTION_MS = 5 * 60_000;
/** How long a notification may take. */
const NOTIFICATION_MS = 2000;

/** What `lorebase doctor` tells of a server and its database. */
export interface PostgresInspection {
  /** Such as `15.20`. */
  readonly version: string;
  readonly majorVersion: number;
  readonly encoding: string;
  readonly connections: { readonly used: number; readonly available: number };
  /** The server's time less this machine's, and how exactly it is known. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** Transactions that have been open for more than five minutes. */
  readonly longTransactions: { readonly count: number; readonly oldestMs: number };
  /** Whether a notification arrives, which it doesn't behind a pooler that assigns connections per transaction. */
  readonly notifies: boolean;
  readonly schema: {
    /** The number of migrations that the database has, of those that this version of lorebase knows. */
    readonly applied: number;
    readonly known: number;
    /** Why this version of lorebase can't use the database; `null` if it can. */
    readonly problem: string | null;
  };
  /** The extension that `MANAGED_PGVECTOR` needs: its version in the database, and the one that the server can install. */
  readonly pgvector: {
    readonly installed: string | null;
    readonly available: string | null;
    readonly isTooOld: boolean;
  };
  /** `null` if the database has no tables yet. */
  readonly content: {
    /** Rows of the queue that no transaction sees any more, until they are vacuumed. */
    readonly deadTasks: number;
    readonly liveTasks: number;
    readonly workersAlive: number;
    readonly workersGone: number;
    /** The ids of master keys that processes have used, the latest first. */
    readonly usedKeys: readonly string[];
    /** The ids of the master keys that stored secrets are sealed with. */
    readonly sealingKeys: readonly string[];
  } | null;
}

/**
 * Inspects a server and its database, and changes nothing.
 * @throws KnowledgeBaseError `not_ready` without the package pg, `store_failed` if the server can't be reached
 */
export async function inspectPostgres(url: string): Promise<PostgresInspection> {
  const database = await PostgresDatabase.open(url);
  try {
    const sentAt = Date.now();
    const time = await database.runAlone(readServerTime);
    const receivedAt = Date.now();
    const clock = { offsetMs: Math.round(time - (sentAt + receivedAt) / 2), uncertaintyMs: receivedAt - sentAt };
    const notifies = await receivesNotification(url, database);
    return { clock, notifies, ...(await database.read((tx) => inspect(tx, time))) };
  } finally {
    await database.close();
  }
}

async function receivesNotification(url: string, database: PostgresDatabase): Promise<boolean> {
  const client = await openClient(url);
  await client.connect();
  try {
    const channel = `lorebase_${randomUUID().replaceAll("-", "")}`;
    const received = new Promise<true>((resolve) => client.once("notification", () => resolve(true)));
    await client.query(`LISTEN ${channel}`);
    await database.runAlone(function* (tx) {
      yield* tx.run(`NOTIFY ${channel}`);
    });
    return await Promise.race([received, sleep(NOTIFICATION_MS, false, { ref: false })]);
  } finally {
    await client.end();
  }
}

function* inspect(tx: Tx, now: number): Operation<Omit<PostgresInspection, "clock" | "notifies">> {
  const server = (yield* tx.get<Pick<PostgresInspection, "version" | "majorVersion" | "encoding">>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
       current_setting('server_version_num')::bigint / 10000 AS "majorVersion",
       current_setting('server_encoding') AS encoding`,
  ))!;
  const connections = (yield* tx.get<PostgresInspection["connections"]>(
    `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS available`,
  ))!;
  const longTransactions = (yield* tx.get<PostgresInspection["longTransactions"]>(
    `SELECT count(*) AS count, coalesce(max(extract(epoch FROM now() - xact_start) * 1000), 0)::bigint AS "oldestMs"
     FROM pg_stat_activity WHERE xact_start < now() - make_interval(secs => ?)`,
    LONG_TRANSACTION_MS / 1000,
  ))!;
  const found = (yield* tx.get<Pick<PostgresInspection["pgvector"], "installed" | "available">>(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`,
  ))!;
  const version = found.installed ?? found.available;
  const pgvector = { ...found, isTooOld: version !== null && isTooOld(version) };
  const applied = yield* appliedMigrations(tx);
  const schema = { applied: applied.length, known: MIGRATIONS.length, problem: problemOf(applied) };
  const hasTables = applied.length >= MIGRATIONS.length;
  const content = hasTables ? yield* readContent(tx, now) : null;
  return { ...server, connections, longTransactions, pgvector, schema, content };
}

function problemOf(applied: Parameters<typeof checkHistory>[0]): string | null {
  try {
    checkHistory(applied, MIGRATIONS);
    return null;
  } catch (error) {
    return getErrorMessage(error);
  }
}

function* readContent(tx: Tx, now: number): Operation<NonNullable<PostgresInspection["content"]>> {
  const queue = (yield* tx.get<{ deadTasks: number; liveTasks: number }>(
    `SELECT n_dead_tup AS "deadTasks", (SELECT count(*) FROM tasks) AS "liveTasks"
     FROM pg_stat_user_tables WHERE relid = 'tasks'::regclass`,
  ))!;
  const workers = (yield* tx.get<{ workersAlive: number; workersGone: number }>(
    `SELECT count(*) FILTER (WHERE heartbeat_at >= ?) AS "workersAlive",
       count(*) FILTER (WHERE heartbeat_at < ?) AS "workersGone" FROM processes`,
    ...[Math.round(now) - ALIVE_MS, Math.round(now) - ALIVE_MS],
  ))!;
  const usedKeys = yield* listMasterKeys(tx);
  const sealingKeys = (yield* countByKey(tx)).map(({ keyId }) => keyId);
  return { ...queue, ...workers, usedKeys, sealingKeys };
}
