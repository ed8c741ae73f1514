import { join } from "node:path";
import type { VectorMatch } from "../interfaces/vector-store.js";
import type { CallOptions, Scope } from "../types.js";
import { toBlob } from "../util/float32-bytes.js";
import { Kysely } from "../vendor/kysely.js";
import type { DatabaseSchema } from "./records/schema.js";
import type { DatabaseThread } from "./sqlite/database-thread.js";
import { closeThreads, type DatabaseThreads, openThreads, SCAN_HELPERS } from "./sqlite/open-threads.js";
import type { ProcedureArgument, ProcedureName, ProcedureResult } from "./sqlite/procedures.js";
import type { ScanLimits } from "./sqlite/search-index/scope-indexes.js";
import type { SqlConnection, SqlStatement } from "./sqlite/sql-connection.js";
import { SqliteThreadDialect } from "./sqlite/sqlite-dialect.js";
import type { QueryOutcome } from "./sqlite/statements.js";
import type { ChunkVector, NearestQuery, VectorDatabase, VectorTarget } from "./vector-database.js";

/** One gibibyte holds the index of some 2,600,000 vectors of 384 dimensions, of 1,500,000 with their sketches. */
const DEFAULT_SCAN: ScanLimits = {
  memoryBytes: 2 ** 30,
  fromChunks: 1000,
  deriveFrom: 50_000,
  helpers: SCAN_HELPERS,
};

/** The engine's database: one writing thread, and reading threads beside it. No SQL runs on the caller's thread. */
export class Database implements SqlConnection, VectorDatabase {
  /** Typed queries: reads in a snapshot, writes and transactions on the writer. */
  readonly query: Kysely<DatabaseSchema>;
  readonly #threads: DatabaseThreads;
  readonly #scan: ScanLimits;
  #turn = 0;

  /** @param threads Are closed with it. */
  constructor(threads: DatabaseThreads, scan: Partial<ScanLimits> = {}) {
    this.#threads = threads;
    this.#scan = { ...DEFAULT_SCAN, ...scan };
    this.query = new Kysely<DatabaseSchema>({
      dialect: new SqliteThreadDialect({ writer: threads.writer, nextReader: () => this.#nextReader() }),
    });
  }

  /** Opens `lorebase.db` in a directory that exists, and brings it to the newest version. */
  static async open(directory: string, scan: Partial<ScanLimits> = {}): Promise<Database> {
    return new Database(await openThreads(join(directory, "lorebase.db")), scan);
  }

  async read<Row>(statement: SqlStatement, options: CallOptions = {}): Promise<readonly Row[]> {
    const outcome = await this.#nextReader().request<QueryOutcome>({ kind: "query", statement }, options);
    return outcome.rows as Row[];
  }

  async write(statements: readonly SqlStatement[], options: CallOptions = {}): Promise<void> {
    await this.#threads.writer.request({ kind: "batch", statements }, options);
  }

  async writeVectors(vectors: readonly ChunkVector[], options: CallOptions = {}): Promise<void> {
    await this.change("writeVectors", { vectors }, options);
  }

  async removeVectors(scope: Scope, target: VectorTarget, options: CallOptions = {}): Promise<void> {
    await this.change("removeVectors", { scope, target }, options);
  }

  /** All on one reader: its indexes are memory that a second one would take again. */
  nearestVectors(scope: Scope, query: NearestQuery, options: CallOptions = {}): Promise<readonly VectorMatch[]> {
    const argument = { ...query, scope, vector: toBlob(query.vector), limits: this.#scan };
    return this.#threads.scanner.request({ kind: "procedure", name: "nearestVectors", argument }, options);
  }

  /** Makes the indexes that a scope's first search would wait for; of vectors where the database keeps them, of so many dimensions. */
  async warmUp(scope: Scope, dimensions: number | null, options: CallOptions = {}): Promise<void> {
    const { readers, scanner } = this.#threads;
    await Promise.all(
      readers.map((reader) => {
        const argument = { scope, dimensions: reader === scanner ? dimensions : null, limits: this.#scan };
        return reader.request({ kind: "procedure", name: "warmUp", argument }, options);
      }),
    );
  }

  /** Runs one of our own procedures on the writer, as one transaction. */
  change<Name extends ProcedureName>(
    name: Name,
    argument: ProcedureArgument<Name>,
    options: CallOptions = {},
  ): Promise<ProcedureResult<Name>> {
    return this.#threads.writer.request({ kind: "procedure", name, argument }, options);
  }

  /** Runs one of our own procedures on a reader, in one snapshot. */
  ask<Name extends ProcedureName>(
    name: Name,
    argument: ProcedureArgument<Name>,
    options: CallOptions = {},
  ): Promise<ProcedureResult<Name>> {
    return this.#nextReader().request({ kind: "procedure", name, argument }, options);
  }

  async close(): Promise<void> {
    await closeThreads(this.#threads);
  }

  #nextReader(): DatabaseThread {
    this.#turn = (this.#turn + 1) % this.#threads.readers.length;
    return this.#threads.readers[this.#turn]!;
  }
}
