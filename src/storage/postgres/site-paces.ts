import { randomUUID } from "node:crypto";
import type { OpenSitePace, SitePace, StartWait } from "../../net/site-pace.js";
import type { Clock } from "../../util/clock.js";
import type { Operation } from "../operation.js";
import type { SqlValue } from "../sql-value.js";
import type { Tx } from "../tx.js";
import type { PostgresDatabase } from "./postgres-database.js";
import { type Pruning, pruning } from "./pruning.js";
import { SERVER_TIME } from "./server-clock.js";

/** Of all processes together, to one site. */
const MAX_REQUESTS = 4;
/** How often a request that waits for others checks whether they have ended. */
const POLL_MS = 250;
/** A request counts for this time after its process last said that it runs. */
const LEASE_MS = 60_000;
const RENEWAL_MS = 20_000;
/** How long a site is remembered after its next request may start. */
const HISTORY_MS = 60 * 60_000;

const PRUNE = [
  "DELETE FROM crawl_requests WHERE until < ?",
  `DELETE FROM crawled_sites WHERE next_start + ${HISTORY_MS} < ?`,
];
/** Only requests that this process still makes, and that others count: what it has left is not extended again. */
const RENEW = `UPDATE crawl_requests SET until = ${SERVER_TIME} + ${LEASE_MS}
  WHERE owner = ? AND ticket = ANY(string_to_array(?, ',')::bigint[]) AND until > ${SERVER_TIME}`;
const LEAVE = "DELETE FROM crawl_requests WHERE site = ? AND ticket = ?";

/**
 * The paces of sites in the database, by its clock. Requests queue for a place among the four that may run: a request
 * that has fewer than four others before it has a place.
 */
export class SitePaces implements Disposable {
  readonly #database: PostgresDatabase;
  readonly #onError: (error: unknown) => void;
  readonly #prune: Pruning;
  readonly #owner = randomUUID();
  /** The tickets of this process in the queues. */
  readonly #tickets = new Set<number>();
  #renewal: NodeJS.Timeout | null = null;

  /** @param onError Called if the queue can't be told of a request's end: the request then counts for another minute */
  constructor(database: PostgresDatabase, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
    this.#prune = pruning(database, PRUNE, onError);
  }

  /** Extends no more leases. */
  [Symbol.dispose](): void {
    if (this.#renewal) clearInterval(this.#renewal);
  }

  readonly open: OpenSitePace = (site: string, clock: Clock): SitePace => ({
    takeSlot: (signal) => this.#takeSlot(site, clock, signal),
    reserveStart: (delayMs, waitedFor) =>
      this.#database.runAlone((tx) => reserveStart(tx, { site, delayMs: Math.ceil(delayMs), waitedFor })),
    postpone: (ms) => this.#tellOrThrow(POSTPONE, site, Math.ceil(ms)),
  });

  async #takeSlot(site: string, clock: Clock, signal: AbortSignal | undefined): Promise<() => void> {
    void this.#prune();
    let ticket = await this.#join(site);
    let hasLeft = false;
    const leave = () => {
      if (!hasLeft) void this.#leave(site, ticket);
      hasLeft = true;
    };
    try {
      for (;;) {
        const ahead = await this.#database.runAlone((tx) => countAhead(tx, site, ticket));
        if (ahead !== null && ahead < MAX_REQUESTS) return leave;
        if (ahead !== null) await clock.sleep(POLL_MS, signal);
        // Its lease has expired, or a crash of the server has emptied the queue.
        else {
          this.#tickets.delete(ticket);
          ticket = await this.#join(site);
        }
        signal?.throwIfAborted();
      }
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #join(site: string): Promise<number> {
    const ticket = await this.#database.runAlone((tx) => join(tx, site, this.#owner));
    this.#tickets.add(ticket);
    this.#renewal ??= setInterval(() => void this.#renew(), RENEWAL_MS).unref();
    return ticket;
  }

  async #leave(site: string, ticket: number): Promise<void> {
    this.#tickets.delete(ticket);
    if (this.#tickets.size === 0 && this.#renewal) {
      clearInterval(this.#renewal);
      this.#renewal = null;
    }
    await this.#tell(LEAVE, site, ticket);
  }

  async #renew(): Promise<void> {
    const tickets = [...this.#tickets];
    await this.#tell(RENEW, this.#owner, tickets.join(","));
  }

  async #tell(sql: string, ...parameters: SqlValue[]): Promise<void> {
    await this.#tellOrThrow(sql, ...parameters).catch(this.#onError);
  }

  #tellOrThrow(sql: string, ...parameters: SqlValue[]): Promise<void> {
    return this.#database.runAlone(function* (tx): Operation<void> {
      yield* tx.run(sql, ...parameters);
    });
  }
}

/**
 * Adds a request to the end of a site's queue. The ticket is taken under the lock of the site's row, so whoever has a
 * later ticket sees all earlier ones.
 */
function* join(tx: Tx, site: string, owner: string): Operation<number> {
  return (yield* tx.get<{ ticket: number }>(
    `WITH joined AS (
       INSERT INTO crawled_sites (site, next_start, last_ticket) VALUES (?, 0, nextval('crawl_tickets'))
       ON CONFLICT (site) DO UPDATE SET last_ticket = nextval('crawl_tickets') RETURNING site, last_ticket)
     INSERT INTO crawl_requests (site, ticket, owner, until) SELECT site, last_ticket, ?, ${SERVER_TIME} + ${LEASE_MS} FROM joined
     RETURNING ticket`,
    site,
    owner,
  ))!.ticket;
}

/** Counts the requests before one, whose lease is extended; `null` if it is no longer in the queue. */
function* countAhead(tx: Tx, site: string, ticket: number): Operation<number | null> {
  const found = yield* tx.get<{ ahead: number }>(
    `UPDATE crawl_requests r SET until = ${SERVER_TIME} + ${LEASE_MS} WHERE site = ? AND ticket = ? AND until > ${SERVER_TIME}
     RETURNING (SELECT count(*) FROM crawl_requests other
       WHERE other.site = r.site AND other.ticket < r.ticket AND other.until > ${SERVER_TIME}) AS ahead`,
    site,
    ticket,
  );
  return found?.ahead ?? null;
}

interface StartRequest {
  readonly site: string;
  readonly delayMs: number;
  readonly waitedFor: number | null;
}

function* reserveStart(tx: Tx, { site, delayMs, waitedFor }: StartRequest): Operation<StartWait | null> {
  for (;;) {
    const reserved = yield* tx.run(
      `INSERT INTO crawled_sites AS s (site, next_start, last_ticket) VALUES (?, ${SERVER_TIME} + ?::bigint, 0)
       ON CONFLICT (site) DO UPDATE SET next_start = greatest(s.next_start + ?, excluded.next_start)
       WHERE s.next_start <= ${SERVER_TIME} OR s.next_start = ?`,
      ...[site, delayMs, delayMs, waitedFor],
    );
    if (reserved === 1) return null;
    const wait = yield* tx.get<StartWait>(
      `SELECT next_start AS "startAt", next_start - ${SERVER_TIME} AS "waitMs" FROM crawled_sites WHERE site = ?`,
      site,
    );
    if (wait && wait.waitMs > 0) return wait;
  }
}

const POSTPONE = `
  INSERT INTO crawled_sites AS s (site, next_start, last_ticket) VALUES (?, ${SERVER_TIME} + ?::bigint, 0)
  ON CONFLICT (site) DO UPDATE SET next_start = greatest(s.next_start, excluded.next_start)`;
