import type { Client, ClientBase, ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import { loadPackage } from "../../net/load-package.js";
import type { CallOptions } from "../../types.js";
import { abortable } from "../../util/abortable.js";
import { toStoreError } from "./failures.js";
import type { Session, Sessions } from "./sessions.js";

/** As many as calls run at the same time. */
const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Creates connections to a server, which are opened when they are first used.
 * @throws KnowledgeBaseError `not_ready`, with the install command, if the package pg is not installed
 */
export async function postgresSessions(url: string): Promise<Sessions> {
  const { default: pg } = await loadPackage<{ readonly default: Pg }>("pg@8");
  return new PostgresSessions(url, pg);
}

interface Pg {
  readonly Pool: new (config: PoolConfig) => Pool;
  readonly Client: new (config: ClientConfig) => Client;
}

class PostgresSessions implements Sessions {
  readonly address: string;
  readonly #config: ClientConfig;
  readonly #pg: Pg;
  readonly #pool: Pool;
  readonly #own = new Set<Client>();

  constructor(url: string, pg: Pg) {
    const { host, pathname } = new URL(url);
    this.address = `postgres://${host}${pathname}`;
    this.#pg = pg;
    this.#config = {
      connectionString: url,
      keepAlive: true,
      // After so long without traffic, the operating system begins to ask whether the other side is still there.
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      fallback_application_name: "lorebase",
    };
    const limits = { max: MAX_CONNECTIONS, idleTimeoutMillis: IDLE_TIMEOUT_MS, allowExitOnIdle: true };
    this.#pool = new pg.Pool({ ...this.#config, ...limits });
    // A connection that breaks is replaced when it is next needed, and a statement that it had has an error of its own.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async withConnection<Result>(
    work: (session: Session) => Promise<Result>,
    { signal }: CallOptions = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    try {
      const client = await this.#connect(signal);
      try {
        const running = work(toSession(client));
        const result = await (signal ? abortable(running, signal) : running);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw toStoreError(error, this.address);
    }
  }

  async withOwnConnection<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const client = new this.#pg.Client(this.#config);
    client.on("error", () => {});
    this.#own.add(client);
    try {
      await client.connect();
      return await work(toSession(client));
    } catch (error) {
      throw toStoreError(error, this.address);
    } finally {
      this.#own.delete(client);
      await client.end();
    }
  }

  async close(): Promise<void> {
    // Ending a connection with a running statement breaks it; the server completes the statement.
    await Promise.all([this.#pool.end(), ...[...this.#own].map((client) => client.end())]);
  }

  async #connect(signal: AbortSignal | undefined): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    if (!signal) return connecting;
    return abortable(connecting, signal).catch((error) => {
      // An aborted call leaves the connection to others.
      connecting.then((client) => client.release()).catch(() => {});
      throw error;
    });
  }
}

function toSession(client: ClientBase): Session {
  return {
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query(sql, [...parameters])).rows as Row[],
  };
}
