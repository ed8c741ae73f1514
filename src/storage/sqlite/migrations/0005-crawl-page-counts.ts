/**
 * Adds the number of a crawl's pages in each state, which is read after every page and which triggers keep up to date.
 * Also replaces an index in the wrong order, so that the next pages are found without reading the pages already
 * crawled.
 */
export const crawlPageCounts = {
  name: "crawl-page-counts",
  sql: `
CREATE TABLE crawl_page_counts (
  ingest_job_id TEXT NOT NULL REFERENCES ingest_jobs (id) ON DELETE CASCADE,
  round INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  pages INTEGER NOT NULL,
  PRIMARY KEY (ingest_job_id, round, state, reason)
) STRICT, WITHOUT ROWID;
INSERT INTO crawl_page_counts
  SELECT ingest_job_id, round, state, iif(state = 'failed', '', coalesce(reason, '')), count(*) FROM crawl_pages GROUP BY 1, 2, 3, 4;

CREATE TRIGGER crawl_pages_added AFTER INSERT ON crawl_pages BEGIN
  INSERT INTO crawl_page_counts
    VALUES (new.ingest_job_id, new.round, new.state, iif(new.state = 'failed', '', coalesce(new.reason, '')), 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
END;
CREATE TRIGGER crawl_pages_changed AFTER UPDATE OF ingest_job_id, round, state, reason ON crawl_pages
WHEN (old.ingest_job_id, old.round, old.state, old.reason) IS NOT (new.ingest_job_id, new.round, new.state, new.reason) BEGIN
  UPDATE crawl_page_counts SET pages = pages - 1 WHERE ingest_job_id = old.ingest_job_id AND round = old.round
    AND state = old.state AND reason = iif(old.state = 'failed', '', coalesce(old.reason, ''));
  INSERT INTO crawl_page_counts
    VALUES (new.ingest_job_id, new.round, new.state, iif(new.state = 'failed', '', coalesce(new.reason, '')), 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
  DELETE FROM crawl_page_counts WHERE ingest_job_id = old.ingest_job_id AND round = old.round AND state = old.state AND pages = 0;
END;
CREATE TRIGGER crawl_pages_removed AFTER DELETE ON crawl_pages BEGIN
  UPDATE crawl_page_counts SET pages = pages - 1 WHERE ingest_job_id = old.ingest_job_id AND round = old.round
    AND state = old.state AND reason = iif(old.state = 'failed', '', coalesce(old.reason, ''));
  DELETE FROM crawl_page_counts WHERE ingest_job_id = old.ingest_job_id AND round = old.round AND state = old.state AND pages = 0;
END;

DROP INDEX crawl_pages_next;
CREATE INDEX crawl_pages_pending ON crawl_pages (ingest_job_id, round, place) WHERE state = 'pending';
`,
};
