import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { addPages, listPendingPages, refetchIgnoringCanonical } from "#dist/storage/records/crawl-pages.js";
import { countCrawlPages } from "#dist/storage/records/crawls.js";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { runNow, SqliteTx } from "#dist/storage/sqlite/sqlite-tx.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { propertyRuns } from "../support/property-runs.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const JOB = `INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES (?, 'ns', 'PROCESSING', '{}', 0)`;
/** Counts one by one. */
const COUNTED = `SELECT state, CASE WHEN state = 'failed' THEN NULL ELSE reason END AS reason, count(*) AS pages
  FROM crawl_pages WHERE ingest_job_id = ? AND round = (SELECT round FROM ingest_jobs WHERE id = ?) GROUP BY 1, 2`;

/** A database with two jobs. */
function open(migrations = MIGRATIONS) {
  const db = openConnection(join(temporaryDirectory(), "lorebase.db"), "writer");
  onTestFinished(() => void db.close());
  migrate(db, migrations);
  db.exec("INSERT INTO organizations (id, name, created_at) VALUES ('org', 'Org', 0)");
  db.pragma("foreign_keys = OFF");
  for (const id of ["one", "two"]) db.prepare(JOB).run(id);
  db.pragma("foreign_keys = ON");
  return db;
}

const sorted = (counts: readonly { state: string; reason: string | null; pages: number }[]) =>
  counts.map(({ state, reason, pages }) => `${state} ${reason} ${pages}`).toSorted();

const found = (n: number, skip: string | null = null) => {
  return { key: `example.com/${n}`, url: `https://example.com/${n}`, depth: 2, redirects: 0, skip };
};

const number = fc.nat(9);
const job = fc.constantFrom("one", "two");
const change = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), job, number, skip: fc.constantFrom(null, "excluded", "variants") }),
  fc.record({
    kind: fc.constant("settle" as const),
    job,
    number,
    as: fc.constantFrom(["document", null], ["failed", "It broke."], ["left_out", "empty"], ["moved", "for_now"]),
  }),
  fc.record({ kind: fc.constant("alone" as const), job, number }),
  fc.record({ kind: fc.constant("round" as const), job }),
  fc.record({ kind: fc.constant("remove" as const), job, number }),
);

it("match the pages after any sequence of changes", { timeout: 30_000 }, () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const db = open();
      const tx = new SqliteTx(new Statements(db));
      const place = "ingest_job_id = ? AND key = ?";
      for (const change of changes) {
        const key = "number" in change ? found(change.number).key : "";
        if (change.kind === "add") runNow(addPages(tx, change.job, [found(change.number, change.skip)]));
        if (change.kind === "settle")
          db.prepare(`UPDATE crawl_pages SET state = ?, reason = ? WHERE ${place}`).run(...change.as, change.job, key);
        if (change.kind === "alone") {
          const seqs = db
            .prepare(`SELECT seq FROM crawl_pages WHERE ${place}`)
            .pluck()
            .all(change.job, key) as number[];
          runNow(refetchIgnoringCanonical(tx, change.job, seqs));
        }
        if (change.kind === "round")
          db.prepare("UPDATE ingest_jobs SET round = round + 1 WHERE id = ?").run(change.job);
        if (change.kind === "remove") db.prepare(`DELETE FROM crawl_pages WHERE ${place}`).run(change.job, key);
        for (const jobId of ["one", "two"]) {
          const counted = db.prepare(COUNTED).all(jobId, jobId) as Parameters<typeof sorted>[0];
          expect(sorted(runNow(countCrawlPages(tx, { jobId })))).toEqual(sorted(counted));
        }
      }
      db.prepare("DELETE FROM ingest_jobs").run();
      expect(db.prepare("SELECT count(*) FROM crawl_page_counts").pluck().get()).toBe(0);
    }),
    { numRuns: propertyRuns(10) },
  );
});

it("are added for the pages of an older database", () => {
  const db = open(MIGRATIONS.slice(0, 4));
  const tx = new SqliteTx(new Statements(db));
  runNow(addPages(tx, "one", [found(1), found(2), found(3, "excluded")]));
  db.exec("UPDATE crawl_pages SET state = 'failed', reason = 'It broke.' WHERE key = 'example.com/2'");
  migrate(db, MIGRATIONS);
  expect(sorted(runNow(countCrawlPages(tx, { jobId: "one" })))).toEqual([
    "failed null 1",
    "pending null 1",
    "skipped excluded 1",
  ]);
});

it("finds the next pages without reading those that are done", () => {
  const db = open();
  const plans: string[] = [];
  const explaining = new Statements(db);
  const all = explaining.all.bind(explaining);
  explaining.all = (sql: string, ...parameters: readonly never[]) => {
    plans.push(...all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...parameters).map(({ detail }) => detail));
    return all(sql, ...parameters);
  };
  runNow(listPendingPages(new SqliteTx(explaining), { jobId: "one", limit: 8, pipelineFingerprint: "x" }));
  expect(plans[0]).toBe("SEARCH p USING INDEX crawl_pages_pending (ingest_job_id=? AND round=?)");
  expect(plans.join("\n")).not.toContain("TEMP B-TREE");
});
