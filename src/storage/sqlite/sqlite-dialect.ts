import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "../../vendor/kysely.js";
import type { DatabaseThread } from "./database-thread.js";
import type { SqlStatement, SqlValue } from "./sql-connection.js";
import type { QueryOutcome } from "./statements.js";

export interface SqliteThreads {
  readonly writer: DatabaseThread;
  /** The reading thread that is to answer next. */
  nextReader(): DatabaseThread;
}

/**
 * Kysely over database threads: reads go to a reader's snapshot beside any open transaction, everything else to the writer,
 * transactions begin IMMEDIATE.
 */
export class SqliteThreadDialect implements Dialect {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  createDriver = (): Driver => new ThreadDriver(this.#threads);
  createQueryCompiler = () => new SqliteQueryCompiler();
  createAdapter = () => new SqliteAdapter();
  createIntrospector = (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db);
}

class ThreadDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  // The threads are opened and closed by their owner; a connection here is only a transaction's name.
  async init(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads);
  }

  beginTransaction = (connection: DatabaseConnection) => (connection as ThreadConnection).begin();
  commitTransaction = (connection: DatabaseConnection) => (connection as ThreadConnection).end("commit");
  rollbackTransaction = (connection: DatabaseConnection) => (connection as ThreadConnection).end("rollback");
}

class ThreadConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  #transaction: number | undefined;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#threads.writer.request<number>({ kind: "begin" });
  }

  async end(kind: "commit" | "rollback"): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await this.#threads.writer.request({ kind }, { transaction });
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const reads = query.query.kind === "SelectQueryNode" && this.#transaction === undefined;
    const thread = reads ? this.#threads.nextReader() : this.#threads.writer;
    const outcome = await thread.request<QueryOutcome>(
      { kind: "query", statement: toStatement(query) },
      { transaction: this.#transaction },
    );
    return { rows: outcome.rows as Row[], numAffectedRows: BigInt(outcome.changes) };
  }

  // biome-ignore lint/correctness/useYield: a cursor that outlives a message would hold its snapshot open and starve the checkpoint
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("Read page by page: an open cursor would keep the write-ahead log from being checkpointed.");
  }
}

/** A compiled query as a message. Booleans and undefined never reach SQLite: the schema knows only its own types. */
export function toStatement(query: { readonly sql: string; readonly parameters: readonly unknown[] }): SqlStatement {
  return { sql: query.sql, parameters: query.parameters as readonly SqlValue[] };
}
