import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { KnowledgeBase, type SearchHit } from "lorebase";
import { makeTexts } from "./texts.js";

const TENANTS = 10_000;
const OTHERS = 10_000;
const JOB = 1000;
const MODES = ["semantic", "keyword", "hybrid"] as const;

/** Checks that scopes don't affect each other, and measures a file with very many scopes. */
export async function benchScopes(log: (line: string) => void) {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  try {
    const isolation = await neighboursChangeNothing(directory, log);
    const tenants = await manyTenants(directory, log);
    return { ...isolation, ...tenants };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function neighboursChangeNothing(directory: string, log: (line: string) => void) {
  const kb = new KnowledgeBase({ directory });
  const embeddingConfig = { provider: "MANAGED_LEXICAL" };
  for (const slug of ["watched", "other"]) await kb.namespaces.create({ name: slug, slug, embeddingConfig });
  const texts = makeTexts(OTHERS + 300, 300, 3);
  const items = texts.slice(0, 300).map((text) => ({ type: "TEXT" as const, text }));
  const watched = kb.namespace("watched");
  await (await watched.ingest({ type: "BATCH", items })).done();
  const queries = makeTexts(20, 40, 4);
  const before = await searchAll(watched, queries);
  for (const neighbour of [watched.tenant("large"), kb.namespace("other")]) {
    for (let first = 300; first < texts.length; first += JOB) {
      const part = texts.slice(first, first + JOB).map((text) => ({ type: "TEXT" as const, text }));
      await (await neighbour.ingest({ type: "BATCH", items: part })).done();
    }
    const after = await searchAll(watched, queries);
    if (after !== before) throw new Error("A neighbour changed a score or the order of hits.");
    const kind = neighbour.tenantId ? "tenant" : "namespace";
    log(`${OTHERS} more documents in another ${kind}: no score and no order changed`);
  }
  await kb.close();
  return { neighbourDocuments: OTHERS, queriesCompared: queries.length * MODES.length, changed: 0 };
}

async function searchAll(
  handle: {
    search(query: string, options: { mode: (typeof MODES)[number]; topK: number }): Promise<readonly SearchHit[]>;
  },
  queries: readonly string[],
): Promise<string> {
  const all = [];
  for (const query of queries) {
    for (const mode of MODES)
      all.push((await handle.search(query, { mode, topK: 20 })).map(({ id, score }) => [id, score]));
  }
  return JSON.stringify(all);
}

async function manyTenants(directory: string, log: (line: string) => void) {
  const texts = makeTexts(TENANTS, 200, 5);
  const writing = new KnowledgeBase({ directory, worker: { concurrency: 16 } });
  await writing.namespaces.create({
    name: "Tenants",
    slug: "tenants",
    embeddingConfig: { provider: "MANAGED_LEXICAL" },
  });
  const tenants = writing.namespace("tenants");
  const started = performance.now();
  for (let first = 0; first < TENANTS; first += 100) {
    const runs = texts
      .slice(first, first + 100)
      .map((text, index) => tenants.tenant(`t${first + index}`).ingest({ type: "TEXT", text }));
    await Promise.all(runs);
  }
  await writing.drain();
  const seconds = (performance.now() - started) / 1000;
  log(`${TENANTS} tenants with one document and one job each: ${(TENANTS / seconds).toFixed(0)} jobs/s`);
  await writing.close();

  const opening = performance.now();
  const kb = new KnowledgeBase({ directory });
  const [hit] = await kb.namespace("tenants").tenant("t4711").search(texts[4711]!.slice(0, 40), { mode: "keyword" });
  const openMs = performance.now() - opening;
  if (!hit) throw new Error("A tenant's document was not found.");
  log(`opened and searched in ${openMs.toFixed(0)} ms`);

  const namespace = await kb.namespaces.get("tenants");
  await kb.namespaces.deleteTenant("tenants", "t4711");
  await kb.drain();
  await kb.close();
  const remaining = rowsOfTenant(
    join(directory, "lorebase.db"),
    namespace.id,
    "t4711",
    String(hit.metadata!.documentId),
  );
  log(`remaining rows of a deleted tenant: ${remaining}`);
  return {
    tenants: TENANTS,
    openAndFirstSearchMs: openMs,
    jobsPerSecond: TENANTS / seconds,
    remainingRowsOfDeletedTenant: remaining,
  };
}

/** Counts rows of all tables that refer to the tenant or its document, and orphaned rows. */
function rowsOfTenant(path: string, namespaceId: string, tenantId: string, documentId: string): number {
  const db = new BetterSqlite3(path, { readonly: true });
  const count = (sql: string, ...parameters: unknown[]) =>
    db
      .prepare(sql)
      .pluck()
      .get(...parameters) as number;
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .pluck()
    .all() as string[];
  let rows = 0;
  for (const table of tables) {
    const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
    for (const column of columns)
      rows += count(`SELECT count(*) FROM ${table} WHERE ${column} IN (?, ?)`, tenantId, documentId);
  }
  rows += count("SELECT count(*) FROM chunks WHERE document_seq NOT IN (SELECT seq FROM documents)");
  rows += count("SELECT count(*) FROM vectors WHERE chunk_seq NOT IN (SELECT seq FROM chunks)");
  rows += count("SELECT count(*) FROM chunk_metadata WHERE chunk_seq NOT IN (SELECT seq FROM chunks)");
  rows += count("SELECT count(*) FROM events WHERE ingest_job_id NOT IN (SELECT id FROM ingest_jobs)");
  rows += count("SELECT count(*) FROM scopes WHERE namespace_id = ? AND tenant_id = ?", namespaceId, tenantId);
  db.close();
  return rows;
}
