import { parentPort } from "node:worker_threads";
import { type ChosenDriver, chooseDriver } from "./choose-driver.js";
import { rewriteDatabase, truncateLog } from "./compact/database-file.js";
import type { Connection } from "./connection.js";
import { copyDatabase } from "./copy-database.js";
import { DiskReserve } from "./disk-reserve.js";
import { FreeSpace, isSqliteFull } from "./free-space.js";
import { GroupCommit } from "./group-commit.js";
import { lockFile } from "./lock-file.js";
import { checkSchema, migrate, refuseUnfinishedTransfer, requireKnownSchema } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openConnection } from "./open-connection.js";
import { runProcedure } from "./procedures.js";
import { requireUpdated } from "./search-index/require-updated.js";
import { prepareScans, scanMemoryOf } from "./search-index/scope-indexes.js";
import { isCorrupt } from "./sqlite-code.js";
import type { SqliteDriver } from "./sqlite-driver.js";
import { SqliteTx } from "./sqlite-tx.js";
import { Statements } from "./statements.js";
import {
  type OpenedDatabase,
  type ProcedureRequest,
  type ThreadReply,
  type ThreadRequest,
  type ThreadSettings,
  toFailure,
} from "./thread-protocol.js";

// The code of a database thread, which has one connection. It answers requests in order; the first opens the
// connection.
const port = parentPort!;
/** How long after the start the reserve is written. */
const RESERVE_DELAY_MS = 1000;
const replies: ThreadReply[] = [];
/** Handles requests once the connection is open. */
let serve: ((request: ThreadRequest) => void) | null = null;

port.on("message", (requests: readonly ThreadRequest[]) => requests.forEach(handle));

function handle(request: ThreadRequest): void {
  if (serve) {
    serve(request);
  } else if (request.kind === "open") {
    try {
      const chosen = chooseDriver();
      const { settings } = request;
      if (settings.role === "lock") {
        const lock = lockFile(settings.path, chosen.driver);
        serve = (next) => (next.kind === "close" ? closeAndEnd(lock, next) : refuse(next));
        reply({ id: request.id, value: null });
        return;
      }
      const { connection, server } = openServer({ ...settings, role: settings.role }, chosen.driver);
      serve = server;
      reply({ id: request.id, value: describeConnection(connection, chosen) });
    } catch (error) {
      reply({ id: request.id, failure: toFailure(error) });
    }
  } else {
    end(request);
  }
}

/** Queues a reply. Replies of one turn of the event loop are sent together. */
function reply(message: ThreadReply): void {
  if (replies.push(message) === 1) process.nextTick(() => port.postMessage(replies.splice(0)));
}

/** Sends the last replies and lets the thread end. */
function end({ id }: ThreadRequest): void {
  port.postMessage([...replies.splice(0), { id, value: null }]);
  port.close();
}

function closeAndEnd(connection: Connection, request: ThreadRequest): void {
  connection.close();
  end(request);
}

function refuse({ id, kind }: ThreadRequest): void {
  reply({ id, failure: toFailure(new Error(`This database thread does not support the request "${kind}".`)) });
}

/** Settings of a connection to a knowledge base. */
interface ConnectionSettings extends ThreadSettings {
  readonly role: Exclude<ThreadSettings["role"], "lock">;
}

interface OpenServer {
  readonly connection: Connection;
  readonly server: (request: ThreadRequest) => void;
}

/** Opens a connection. On a full disk, which may lack the space for SQLite's shared memory, frees the reserve for it. */
function openServer(settings: ConnectionSettings, driver: SqliteDriver): OpenServer {
  const { path, role, isTemporary } = settings;
  const reserve = role === "writer" && !isTemporary && path !== ":memory:" ? new DiskReserve(path) : null;
  const open = (): OpenServer => {
    const connection = openConnection(path, role, { isTemporary, driver });
    try {
      return { connection, server: createServer(connection, settings, { driver, reserve }) };
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    if (!isSqliteFull(error) || !reserve?.release()) throw error;
    return open();
  }
}

/** Prepares an open connection, and returns the handler of its requests. */
function createServer(
  connection: Connection,
  { role, scanHelpers = 0, access = "use" }: ConnectionSettings,
  { driver, reserve }: { readonly driver: SqliteDriver; readonly reserve: DiskReserve | null },
): (request: ThreadRequest) => void {
  if (role === "writer") migrate(connection, MIGRATIONS);
  if (access !== "use") checkSchema(connection, MIGRATIONS);
  if (access !== "target") refuseUnfinishedTransfer(connection);
  const statements = new Statements(connection);
  if (access === "source") requireUpdated(statements);
  if (role === "reader") prepareScans(statements, scanHelpers);
  const tx = new SqliteTx(statements);
  const run = ({ name, argument }: ProcedureRequest) => {
    requireKnownSchema(statements, MIGRATIONS);
    return runProcedure(statements, tx, name, argument);
  };
  const space = role === "writer" ? new FreeSpace(statements, reserve) : null;
  const writer = space ? new GroupCommit(statements, run, reply, space) : null;
  // After the first requests, which callers wait for.
  if (reserve) setTimeout(() => connection.open && reserve.fill(), RESERVE_DELAY_MS).unref();
  const isSnapshot = role === "snapshot";
  // A transaction that only reads begins with its first query.
  if (isSnapshot) statements.run("BEGIN");
  if (isSnapshot) statements.get("SELECT count(*) FROM migrations");
  const copying = new AbortController();
  let running: Promise<void> = Promise.resolve();

  return (request) => {
    if (request.kind === "procedure" && writer) {
      writer.handle(request);
    } else if (request.kind === "procedure") {
      try {
        reply({ id: request.id, value: isSnapshot ? run(request) : inSnapshot(statements, () => run(request)) });
      } catch (error) {
        reply({ id: request.id, failure: toFailure(error) });
      }
    } else if (request.kind === "copy" && isSnapshot) {
      running = replyWith(request, () => copyDatabase(connection, driver, { ...request, signal: copying.signal }));
    } else if (request.kind === "truncateLog" && writer) {
      running = replyWith(request, () => {
        writer.end();
        return truncateLog(connection);
      });
    } else if (request.kind === "rewrite" && writer) {
      running = replyWith(request, () => {
        writer.end();
        rewriteDatabase(connection.name, driver);
      });
    } else if (request.kind === "isFull") {
      reply({ id: request.id, value: writer?.isFull ?? false });
    } else if (request.kind === "scanMemory") {
      reply({ id: request.id, value: scanMemoryOf(statements) });
    } else if (request.kind === "close") {
      copying.abort();
      void running.then(() => {
        writer?.end();
        if (writer) optimize(connection);
        closeAndEnd(connection, request);
      });
    } else {
      refuse(request);
    }
  };
}

/** Updates SQLite's statistics, if the database can be read and its disk has space. */
function optimize(connection: Connection): void {
  try {
    connection.pragma("optimize");
  } catch (error) {
    if (!isCorrupt(error) && !isSqliteFull(error)) throw error;
  }
}

/** Sends the result of work as the reply to a request. */
async function replyWith({ id }: ThreadRequest, work: () => unknown): Promise<void> {
  try {
    reply({ id, value: await work() });
  } catch (error) {
    reply({ id, failure: toFailure(error) });
  }
}

/** Runs a procedure in one snapshot, which all its queries see. */
function inSnapshot(statements: Statements, run: () => unknown): unknown {
  statements.run("BEGIN");
  try {
    return run();
  } finally {
    if (statements.connection.inTransaction) endSnapshot(statements);
  }
}

/** Ends a snapshot. After a damaged page was read, SQLite refuses to commit, even if a check has reported the page. */
function endSnapshot(statements: Statements): void {
  try {
    statements.run("COMMIT");
  } catch (error) {
    if (statements.connection.inTransaction) statements.run("ROLLBACK");
    if (!isCorrupt(error)) throw error;
  }
}

/** Describes the SQLite of a connection. */
function describeConnection(db: Connection, { driver, problem }: ChosenDriver): OpenedDatabase {
  const queryValue = (sql: string) => db.prepare(sql).pluck().get();
  const hasExtension = queryValue("SELECT 1 FROM pragma_function_list WHERE name = 'vec_version'") !== undefined;
  return {
    driver: driver.name,
    sqliteVersion: queryValue("SELECT sqlite_version()") as string,
    sqliteVecVersion: hasExtension ? (queryValue("SELECT vec_version()") as string) : null,
    problem,
  };
}
