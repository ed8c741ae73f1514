import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startPgbouncer, stopPgbouncer } from "../support/pgbouncer.js";
import { findPostgres } from "../support/postgres-binaries.js";
import { crashServer, createServerData, freePort, startServer } from "../support/postgres-process.js";

export interface ServerOptions {
  /** Whether clients connect to PgBouncer, which assigns a connection for each transaction. */
  readonly isPooled?: boolean;
}

/** A PostgreSQL server of a campaign's own, which can crash and start again, with one database. */
export class CampaignServer {
  readonly #binaries: string;
  readonly #directory: string;
  readonly #port: number;
  /** Where clients connect: the server, or the pooler before it. */
  readonly clientPort: number;

  private constructor(binaries: string, directory: string, port: number, clientPort: number) {
    this.#binaries = binaries;
    this.#directory = directory;
    this.#port = port;
    this.clientPort = clientPort;
  }

  /** Returns `null` if PostgreSQL isn't installed. */
  static async start({ isPooled = false }: ServerOptions = {}): Promise<CampaignServer | null> {
    const binaries = findPostgres();
    if (!binaries) return null;
    const directory = mkdtempSync(join(tmpdir(), "lorebase-campaign-"));
    createServerData(binaries, directory);
    const port = await freePort();
    await startServer(binaries, directory, port, SETTINGS);
    const pooler = isPooled ? await startPgbouncer(directory, port) : null;
    return new CampaignServer(binaries, directory, port, pooler ?? port);
  }

  /** The database's URL at a port from which connections reach the server. */
  urlAt(port: number): string {
    return `postgres://lorebase@127.0.0.1:${port}/postgres`;
  }

  /** Runs queries of the campaign's own in one snapshot. */
  inspect<Result>(read: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#connected(async (query) => {
      await query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      const result = await read(query);
      await query("COMMIT");
      return result;
    });
  }

  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#connected((query) => query<Row>(sql, parameters));
  }

  /** Ends the server in the midst of transactions, and starts it again after a pause. */
  async crash(pauseMs: number): Promise<void> {
    await crashServer(this.#directory);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await startServer(this.#binaries, this.#directory, this.#port, SETTINGS);
  }

  async #connected<Result>(use: (query: Query) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: this.urlAt(this.#port), types: { getTypeParser: parserOf } });
    await client.connect();
    try {
      return await use(async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows);
    } finally {
      await client.end();
    }
  }

  async end(): Promise<void> {
    await crashServer(this.#directory);
    stopPgbouncer(this.#directory);
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

export type Query = <Row>(sql: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;

/** The times of commits tell how long it takes until another process finds what was committed. */
const SETTINGS = { track_commit_timestamp: "on" };

/** Reads integers of eight bytes as numbers. */
function parserOf(oid: number, format?: "text" | "binary") {
  return oid === 20 ? Number : pg.types.getTypeParser(oid, format);
}
