import { vectorHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** The last cached vector that was compared; `null` at first. */
type CachePosition = { readonly namespaceId: string; readonly key: Uint8Array } | null;

/** Counts cached vectors that differ from their hashes. With `repair`, removes them: they are computed again. */
export function* checkCache(
  tx: Tx,
  { after, limit, repair }: { readonly after: CachePosition; readonly limit: number; readonly repair: boolean },
): Operation<{ readonly damaged: number; readonly last: CachePosition }> {
  const rows = yield* tx.all<{ namespaceId: string; key: Uint8Array; vector: Uint8Array; hash: number | null }>(
    `SELECT namespace_id AS "namespaceId", key, vector, hash FROM embedding_cache
     ${after ? "WHERE (namespace_id, key) > (?, ?)" : ""} ORDER BY namespace_id, key LIMIT ?`,
    ...(after ? [after.namespaceId, after.key] : []),
    limit,
  );
  const damaged = rows.filter(({ vector, hash }) => hash !== null && hash !== vectorHash(vector));
  for (const { namespaceId, key } of repair ? damaged : [])
    yield* tx.exec("DELETE FROM embedding_cache WHERE namespace_id = ? AND key = ?", namespaceId, key);
  const { namespaceId, key } = rows.at(-1) ?? {};
  return { damaged: damaged.length, last: rows.length < limit ? null : { namespaceId: namespaceId!, key: key! } };
}

const countedPages = (condition = "") => `SELECT ingest_job_id, round, state,
  CASE WHEN state = 'failed' THEN '' ELSE coalesce(reason, '') END AS reason, count(*) AS pages
  FROM crawl_pages ${condition} GROUP BY 1, 2, 3, 4`;

/** Returns the jobs whose crawl pages are counted wrongly. With `repair`, counts them again. */
export function* checkCrawlCounts(tx: Tx, { repair }: { readonly repair: boolean }): Operation<readonly string[]> {
  const columns = "ingest_job_id, round, state, reason, pages";
  const wrong = yield* tx.all<{ id: string }>(
    `SELECT DISTINCT ingest_job_id AS id FROM (
       SELECT * FROM (SELECT ${columns} FROM crawl_page_counts EXCEPT ${countedPages()}) a
       UNION ALL SELECT * FROM (${countedPages()} EXCEPT SELECT ${columns} FROM crawl_page_counts) b) differences ORDER BY 1`,
  );
  for (const { id } of repair ? wrong : []) {
    yield* tx.exec("DELETE FROM crawl_page_counts WHERE ingest_job_id = ?", id);
    yield* tx.exec(`INSERT INTO crawl_page_counts (${columns}) ${countedPages("WHERE ingest_job_id = ?")}`, id);
  }
  return wrong.map(({ id }) => id);
}
