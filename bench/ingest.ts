import { monitorEventLoopDelay } from "node:perf_hooks";
import BetterSqlite3 from "better-sqlite3";
import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { makeTexts } from "./texts.js";

const DOCUMENTS = 10_000;
const JOB = 1000;
const CHARACTERS = 1000;
const SINGLE_CALLS = 200;
const MEGABYTE = 1024 * 1024;

/**
 * Measures the ingest rate, its effect on the caller's event loop during searches, and the growth of memory. The
 * baseline in the same run is one thread that only writes the same texts to SQLite with a full-text index.
 */
export async function benchIngest(log: (line: string) => void) {
  const texts = makeTexts(DOCUMENTS, CHARACTERS);
  const bare = bareWrites(texts);
  log(`bare SQLite, one thread, rows and full-text index only: ${bare.toFixed(0)} documents/s`);

  const kb = new KnowledgeBase({ directory: ":memory:" });
  for (const slug of ["alone", "with-searches"]) {
    await kb.namespaces.create({ name: slug, slug, embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  }
  await (await kb.ingest("alone", { type: "TEXT", text: "This text starts the threads." })).done();

  const alone = await ingestAll(kb.namespace("alone"), texts, log);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const searching = searchAll(kb.namespace("with-searches"), texts);
  delay.enable();
  const withSearches = await ingestAll(kb.namespace("with-searches"), texts, log);
  delay.disable();
  const searches = await searching.stop();

  const started = performance.now();
  for (const text of makeTexts(SINGLE_CALLS, CHARACTERS, 2))
    await (await kb.ingest("alone", { type: "TEXT", text })).done();
  const single = SINGLE_CALLS / ((performance.now() - started) / 1000);
  await kb.close();

  return {
    documents: DOCUMENTS,
    documentsPerSecond: alone.perSecond,
    ratioToBareSqlite: alone.perSecond / bare,
    rssMb: alone.rssMb,
    withSearches: {
      documentsPerSecond: withSearches.perSecond,
      searches,
      eventLoopDelayMs: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
    },
    singleCallsPerSecond: single,
  };
}

async function ingestAll(handle: NamespaceHandle, texts: readonly string[], log: (line: string) => void) {
  const rss: number[] = [];
  let seconds = 0;
  for (let first = 0; first < texts.length; first += JOB) {
    const items = texts.slice(first, first + JOB).map((text, index) => {
      return { type: "TEXT" as const, text, config: { metadata: { number: first + index, group: `g${index % 10}` } } };
    });
    const started = performance.now();
    const job = await (await handle.ingest({ type: "BATCH", items })).done();
    seconds += (performance.now() - started) / 1000;
    if (job.status !== "COMPLETED") throw new Error(`The job is ${job.status}: ${job.error}`);
    rss.push(process.memoryUsage().rss / MEGABYTE);
    log(`${handle.ref}: ${first + JOB} documents, ${((first + JOB) / seconds).toFixed(0)} a second`);
  }
  const [after1000, after10000] = [rss[0]!, rss.at(-1)!];
  return { perSecond: texts.length / seconds, rssMb: { after1000, after10000, growth: after10000 - after1000 } };
}

/** Searches in two modes, at most ten times a second, until it is stopped. */
function searchAll(handle: NamespaceHandle, texts: readonly string[]) {
  let searching = true;
  const done = (async () => {
    let searches = 0;
    for (; searching; searches++) {
      const query = texts[(searches * 37) % texts.length]!.slice(0, 60);
      await handle.search(query, { mode: searches % 2 ? "keyword" : "hybrid" });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return searches;
  })();
  return {
    stop: () => {
      searching = false;
      return done;
    },
  };
}

function bareWrites(texts: readonly string[]): number {
  const db = new BetterSqlite3(":memory:");
  db.exec("CREATE TABLE documents (id INTEGER PRIMARY KEY, text TEXT)");
  db.exec("CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'porter')");
  const insert = db.prepare("INSERT INTO documents VALUES (?, ?)");
  const index = db.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  const started = performance.now();
  for (let first = 0; first < texts.length; first += 100) {
    db.exec("BEGIN");
    for (let id = first; id < first + 100; id++) {
      insert.run(id, texts[id]);
      index.run(id, texts[id]);
    }
    db.exec("COMMIT");
  }
  return texts.length / ((performance.now() - started) / 1000);
}
