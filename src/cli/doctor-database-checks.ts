import { loadPostgresInspection, type PostgresInspection, parseMasterKeyId } from "../create-engine.js";
import { getErrorMessage } from "../errors.js";
import { formatCount } from "./columns.js";
import type { Check } from "./doctor-checks.js";

const MIN_MAJOR_VERSION = 15;
/** Of a process with a worker: one for writes, four for reads, three of its search threads, one for notifications. */
const CONNECTIONS_OF_A_PROCESS = 9;
const MAX_CLOCK_OFFSET_MS = 1000;
const MAX_DEAD_TASKS = 10_000;

/** Checks a PostgreSQL server and its database, and changes nothing. */
export async function checkDatabase(url: string, masterKeys: readonly string[]): Promise<readonly Check[]> {
  let inspection: PostgresInspection;
  try {
    inspection = await (await loadPostgresInspection()).inspectPostgres(url);
  } catch (error) {
    const cure = "check the URL, the password, and whether the server accepts connections from this machine";
    return [{ name: "PostgreSQL", status: "failed", found: getErrorMessage(error), cure }];
  }
  return [
    checkServer(inspection),
    checkSchema(inspection),
    checkConnections(inspection),
    checkClock(inspection),
    checkTransactions(inspection),
    checkNotifications(inspection),
    checkPgvector(inspection),
    ...checkContent(inspection, masterKeys),
  ];
}

function checkServer({ version, majorVersion, encoding }: PostgresInspection): Check {
  const name = "PostgreSQL";
  const found = `${version}, ${encoding}`;
  if (majorVersion < MIN_MAJOR_VERSION)
    return { name, status: "failed", found, cure: `upgrade the server to PostgreSQL ${MIN_MAJOR_VERSION} or later` };
  if (encoding !== "UTF8") return { name, status: "failed", found, cure: "create the database with ENCODING 'UTF8'" };
  return { name, status: "ok", found };
}

function checkSchema({ schema: { applied, known, problem } }: PostgresInspection): Check {
  const name = "schema";
  if (problem !== null) return { name, status: "failed", found: problem };
  if (applied === 0) return { name, status: "ok", found: "none yet; created on first use" };
  if (applied < known)
    return { name, status: "ok", found: `version ${applied}; migrated to ${known} by the next process that opens it` };
  const newer = applied > known ? `, of which this version of lorebase knows ${known}` : "";
  return { name, status: "ok", found: `version ${applied}${newer}` };
}

function checkConnections({ connections: { used, available } }: PostgresInspection): Check {
  const name = "connections";
  const found = `${used} of ${available} in use; a process of lorebase uses up to ${CONNECTIONS_OF_A_PROCESS}`;
  if (used + CONNECTIONS_OF_A_PROCESS <= available) return { name, status: "ok", found };
  return { name, status: "warning", found, cure: "raise max_connections, or use PgBouncer in transaction mode" };
}

function checkClock({ clock: { offsetMs, uncertaintyMs } }: PostgresInspection): Check {
  const name = "clock";
  const found = `the server's is ${offsetMs} ms ahead of this machine's (± ${Math.ceil(uncertaintyMs / 2)} ms)`;
  if (Math.abs(offsetMs) - uncertaintyMs / 2 <= MAX_CLOCK_OFFSET_MS) return { name, status: "ok", found };
  const cure = "synchronize the clocks (NTP): leases follow the server's, but the times of signed URLs this machine's";
  return { name, status: "warning", found, cure };
}

function checkTransactions({ longTransactions: { count, oldestMs } }: PostgresInspection): Check {
  const name = "transactions";
  if (count === 0) return { name, status: "ok", found: "none open for more than five minutes" };
  const found = `${formatCount(count, "transaction")} open for more than five minutes, the oldest for ${minutes(oldestMs)}`;
  const cure = "end them: dead rows that they might see can't be vacuumed (pg_stat_activity, xact_start)";
  return { name, status: "warning", found, cure };
}

function checkNotifications({ notifies }: PostgresInspection): Check {
  const name = "notifications";
  if (notifies) return { name, status: "ok", found: "arrive" };
  const found = "don't arrive, as behind a pooler: workers find new jobs within half a second instead of at once";
  return { name, status: "warning", found };
}

function checkPgvector({ pgvector: { installed, available, isTooOld } }: PostgresInspection): Check {
  const name = "pgvector";
  const version = installed ?? available;
  if (version === null) return { name, status: "ok", found: "not on the server; only MANAGED_PGVECTOR needs it" };
  const found = installed === null ? `${version}, not installed in the database yet` : version;
  if (!isTooOld) return { name, status: "ok", found };
  return { name, status: "warning", found, cure: "for MANAGED_PGVECTOR, update it to 0.8 or later" };
}

function checkContent({ content }: PostgresInspection, masterKeys: readonly string[]): readonly Check[] {
  if (!content) return [];
  const { deadTasks, liveTasks, workersAlive, workersGone, usedKeys, sealingKeys } = content;
  const queue = `${formatCount(liveTasks, "task")}, ${formatCount(deadTasks, "dead row")}`;
  const gone = workersGone === 0 ? "" : `, ${workersGone} without a heartbeat for a minute`;
  const workers = `${workersAlive} alive${gone}`;
  return [
    deadTasks <= MAX_DEAD_TASKS
      ? { name: "queue", status: "ok", found: queue }
      : {
          name: "queue",
          status: "warning",
          found: queue,
          cure: "VACUUM tasks; find out what keeps autovacuum from it",
        },
    workersAlive > 0
      ? { name: "workers", status: "ok", found: workers }
      : { name: "workers", status: "warning", found: workers, cure: "start one with lorebase work: jobs stay queued" },
    checkMasterKey({ usedKeys, sealingKeys }, masterKeys),
  ];
}

function checkMasterKey(
  { usedKeys, sealingKeys }: Pick<NonNullable<PostgresInspection["content"]>, "usedKeys" | "sealingKeys">,
  masterKeys: readonly string[],
): Check {
  const name = "master key";
  const given = masterKeys.map(parseMasterKeyId);
  if (given.length === 0 || given.includes(null)) {
    const found = given.length === 0 ? "LOREBASE_MASTER_KEY is not set" : "LOREBASE_MASTER_KEY is not a key";
    return {
      name,
      status: "warning",
      found,
      cure: "set it to the key of the other processes, 32 bytes as hex or base64",
    };
  }
  const missing = sealingKeys.filter((id) => !given.includes(id));
  if (missing.length > 0) {
    const found = `${given[0]}; stored secrets need ${missing.join(", ")}`;
    return { name, status: "failed", found, cure: "add the missing keys to LOREBASE_MASTER_KEY" };
  }
  if (usedKeys.length > 0 && !usedKeys.some((id) => given.includes(id))) {
    const found = `${given[0]}; other processes use ${usedKeys[0]}`;
    return { name, status: "failed", found, cure: "give all processes the same LOREBASE_MASTER_KEY" };
  }
  return { name, status: "ok", found: `${given[0]}, as in other processes` };
}

function minutes(ms: number): string {
  return formatCount(Math.floor(ms / 60_000), "minute");
}
