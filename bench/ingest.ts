import { monitorEventLoopDelay } from "node:perf_hooks";
import BetterSqlite3 from "better-sqlite3";
import { KnowledgeBase } from "lorebase";
import { makeTexts } from "./texts.js";

const DOCUMENTS = 10_000;
const JOB = 1000;
const CHARACTERS = 1000;
const SINGLE_CALLS = 200;
const MEGABYTE = 1024 * 1024;

/**
 * How fast documents become searchable, what that costs the caller's event loop while it searches, and how memory grows.
 * The yardstick of the same run: one thread that only writes the same texts to SQLite with a full-text index.
 */
export async function benchIngest(log: (line: string) => void) {
  const texts = makeTexts(DOCUMENTS, CHARACTERS);
  const bare = bareWrites(texts);
  log(`bare SQLite, one thread, rows and full-text index only: ${bare.toFixed(0)} documents/s`);

  const kb = new KnowledgeBase({ directory: ":memory:" });
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const bench = kb.namespace("bench");
  await (await bench.ingest({ type: "TEXT", text: "The threads are started by this one." })).done();

  const delay = monitorEventLoopDelay({ resolution: 1 });
  let ingesting = true;
  let searches = 0;
  const searching = (async () => {
    while (ingesting) {
      await bench.search(texts[(searches * 37) % DOCUMENTS]!.slice(0, 60), {
        mode: searches % 2 ? "keyword" : "hybrid",
      });
      searches++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();

  let seconds = 0;
  let rssAfterFirst = 0;
  for (let first = 0; first < DOCUMENTS; first += JOB) {
    const items = texts.slice(first, first + JOB).map((text, index) => {
      return { type: "TEXT" as const, text, config: { metadata: { number: first + index, group: `g${index % 10}` } } };
    });
    delay.enable();
    const started = performance.now();
    const job = await (await bench.ingest({ type: "BATCH", items })).done();
    seconds += (performance.now() - started) / 1000;
    delay.disable();
    if (job.status !== "COMPLETED") throw new Error(`The job is ${job.status}: ${job.error}`);
    if (first === 0) rssAfterFirst = settledRss();
    log(`${first + JOB} documents: ${((first + JOB) / seconds).toFixed(0)} documents/s`);
  }
  ingesting = false;
  await searching;
  const rssAfterLast = settledRss();

  const singleStarted = performance.now();
  for (const text of makeTexts(SINGLE_CALLS, CHARACTERS, 2)) await (await bench.ingest({ type: "TEXT", text })).done();
  const single = SINGLE_CALLS / ((performance.now() - singleStarted) / 1000);
  await kb.close();

  return {
    documents: DOCUMENTS,
    documentsPerSecond: DOCUMENTS / seconds,
    ratioToBareSqlite: DOCUMENTS / seconds / bare,
    singleCallsPerSecond: single,
    searchesBeside: searches,
    eventLoopDelayMs: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
    rssMb: {
      after1000: rssAfterFirst / MEGABYTE,
      after10000: rssAfterLast / MEGABYTE,
      growth: (rssAfterLast - rssAfterFirst) / MEGABYTE,
    },
  };
}

function settledRss(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

function bareWrites(texts: readonly string[]): number {
  const db = new BetterSqlite3(":memory:");
  db.exec(
    "CREATE TABLE documents (id INTEGER PRIMARY KEY, text TEXT); CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'porter')",
  );
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
