/**
 * Creates the tables of limits that hold over all processes. Their rows matter for minutes and change often, so they
 * are in no write-ahead log; after a crash of the server they are empty. SQLite's processes keep these in memory.
 *
 * `call_counts` has a row for each window of counted calls. `crawled_sites` says when the next request to a site may
 * start, and `crawl_requests` has a row for each request that runs or waits, in the order of `ticket`.
 */
export const sharedLimits = {
  name: "shared-limits",
  compatibleSince: 2,
  sql: `
CREATE UNLOGGED TABLE call_counts (
  key bytea PRIMARY KEY,
  count bigint NOT NULL,
  ends_at bigint NOT NULL
) WITH (fillfactor = 70);

CREATE UNLOGGED TABLE crawled_sites (
  site text PRIMARY KEY,
  next_start bigint NOT NULL,
  last_ticket bigint NOT NULL
) WITH (fillfactor = 70);
CREATE SEQUENCE crawl_tickets;

CREATE UNLOGGED TABLE crawl_requests (
  site text NOT NULL,
  ticket bigint NOT NULL,
  owner text NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (site, ticket)
) WITH (fillfactor = 70);
`,
};
