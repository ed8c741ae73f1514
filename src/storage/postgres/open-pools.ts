import type { Client, ClientConfig, Pool, PoolConfig } from "pg";
import { loadPackage } from "../../net/load-package.js";
import { VALUE_TYPES } from "./values.js";

/** Connections for writes and for reads. Neither waits for the other's, however many searches there are. */
export interface Pools {
  readonly writes: Pool;
  readonly reads: Pool;
}

/** With the one for writes, a process has five connections at most. */
const MAX_READERS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Creates the pools, which connect when they are first used.
 * @throws KnowledgeBaseError `not_ready`, with the install command, if the package pg is not installed
 */
export async function openPools(url: string): Promise<Pools> {
  const pg = await loadPg();
  const open = (max: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      // Not named prepared statements, which a pooler that assigns a connection per transaction would mix up.
      pipeline: true,
      types: VALUE_TYPES,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      allowExitOnIdle: true,
      fallback_application_name: "lorebase",
    });
    // A connection that breaks is replaced when it is next needed, and a statement that it had has an error of its own.
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  };
  return { writes: open(1), reads: open(MAX_READERS) };
}

/** Creates a connection that has a session of its own. It is opened by the caller. */
export async function openClient(url: string): Promise<Client> {
  const { Client } = await loadPg();
  return new Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    fallback_application_name: "lorebase",
  });
}

interface Pg {
  readonly Pool: new (config: PoolConfig) => Pool;
  readonly Client: new (config: ClientConfig) => Client;
}

async function loadPg(): Promise<Pg> {
  return (await loadPackage<{ readonly default: Pg }>("pg@8")).default;
}
