import type { Client, ClientBase, ClientConfig, Pool, PoolConfig } from "pg";
import { loadPackage } from "../../net/load-package.js";
import type { SilentConnections } from "./silent-connections.js";
import { VALUE_TYPES } from "./values.js";

/** Connections for writes and for reads. Neither waits for the other's, however many searches there are. */
export interface Pools {
  readonly writes: Pool;
  readonly reads: Pool;
  /** For reads that must be answered soon, and so don't wait for a connection that may be lost. */
  readonly polls: Pool;
}

/** With those for writes and for polls, a process has six connections at most. */
const MAX_READERS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** A poll is repeated by its caller. */
const POLL_CONNECT_TIMEOUT_MS = 2000;
const IDLE_TIMEOUT_MS = 60_000;
/** After this time, a connection that is always in use is replaced too: its server may have become a standby. */
const MAX_LIFETIME_SECONDS = 300;
/** After so long without traffic, the operating system begins to ask whether the other side is still there. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * Creates the pools, which connect when they are first used.
 * @param silent Watches the connections for writes and for reads
 * @throws KnowledgeBaseError `not_ready`, with the install command, if the package pg is not installed
 */
export async function openPools(url: string, silent: SilentConnections): Promise<Pools> {
  const pg = await loadPg();
  class WatchedClient extends pg.Client {
    constructor(config: ClientConfig) {
      super(config);
      silent.add(this);
    }
  }
  const open = (max: number, connectMs: number, Client: Pg["Client"]) => {
    const pool = new pg.Pool({
      // The types of the package say that it gets no configuration.
      Client: Client as unknown as new () => ClientBase,
      connectionString: url,
      max,
      // Not named prepared statements, which a pooler that assigns a connection per transaction would mix up.
      pipeline: true,
      types: VALUE_TYPES,
      ...KEEP_ALIVE,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      allowExitOnIdle: true,
      fallback_application_name: "lorebase",
    });
    // A connection that breaks is replaced when it is next needed, and a statement that it had has an error of its own.
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  };
  const pools = {
    writes: open(1, CONNECT_TIMEOUT_MS, WatchedClient),
    reads: open(MAX_READERS, CONNECT_TIMEOUT_MS, WatchedClient),
    polls: open(1, POLL_CONNECT_TIMEOUT_MS, pg.Client),
  };
  silent.watch(pools.writes);
  silent.watch(pools.reads);
  return pools;
}

/** Creates a connection that has a session of its own. It is opened by the caller. */
export async function openClient(url: string): Promise<Client> {
  const { Client } = await loadPg();
  return new Client({
    connectionString: url,
    ...KEEP_ALIVE,
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
