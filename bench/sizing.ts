import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KnowledgeBase } from "lorebase";
import type { TestDatabase } from "../test/support/postgres.js";
import { makeQueries } from "./fill-namespace.js";
import { mixtureEmbedder } from "./mixture-embedder.js";
import type { ReaderFigures } from "./sizing-reader.js";
import { makeTexts } from "./texts.js";
import { withTestDatabase } from "./with-test-database.js";

const CHARACTERS = 900;
const CHUNKS_PER_DOCUMENT = 100;
const DOCUMENTS_PER_JOB = 100;
const QUERIES = 300;
const READERS = 3;
const MODES = ["semantic", "keyword"] as const;
const READER = fileURLToPath(new URL("sizing-reader.ts", import.meta.url));

/**
 * Measures what one scope of many chunks takes in PostgreSQL, with vectors of 384 dimensions: the size of its tables, and the memory, the first search and
 * the further searches of processes that start with it, right after the ingest and after the maintenance that follows. The server is on the same machine.
 */
export async function benchSizing(chunks: number, log: (line: string) => void) {
  return withTestDatabase(async (database) => {
    const { queries, ...filled } = await fill(database, chunks, log);
    const tables = await tableSizes(database);
    log(JSON.stringify(tables));
    const afterIngest = await measureModes(database, queries, log);
    const maintenanceSeconds = await maintain(database);
    log(`maintained in ${maintenanceSeconds} s`);
    const afterMaintenance = await measureModes(database, queries, log);
    return { chunks, ...filled, tables, afterIngest, maintenanceSeconds, afterMaintenance };
  });
}

async function measureModes(database: TestDatabase, queries: readonly string[], log: (line: string) => void) {
  const readers: Record<string, readonly ReaderFigures[]> = {};
  for (const mode of MODES) {
    readers[mode] = await measureReaders(database, mode, queries);
    log(`${mode}: ${JSON.stringify(readers[mode])}`);
  }
  return readers;
}

/** Completes the maintenance of the search index, which takes a share of the time only while there is an ingest. */
async function maintain({ url }: TestDatabase): Promise<number> {
  await using kb = new KnowledgeBase({
    ...{ database: url, masterKey: "11".repeat(32), sharedDirectory: true, worker: false },
    embedders: [mixtureEmbedder()],
  });
  const started = performance.now();
  await kb.drain();
  return (performance.now() - started) / 1000;
}

async function fill({ url }: TestDatabase, chunks: number, log: (line: string) => void) {
  await using kb = new KnowledgeBase({
    ...{ database: url, masterKey: "11".repeat(32), sharedDirectory: true },
    embedders: [mixtureEmbedder()],
  });
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "MIXTURE" } });
  const queries: string[] = [];
  const started = performance.now();
  for (let done = 0; done < chunks; ) {
    const count = Math.min(chunks - done, DOCUMENTS_PER_JOB * CHUNKS_PER_DOCUMENT);
    const texts = makeTexts(count, CHARACTERS, done + 1).map((text) => text.replaceAll("\n\n", " "));
    queries.push(...makeQueries(texts, Math.ceil((QUERIES * count) / chunks)));
    const items = Array.from({ length: Math.ceil(count / CHUNKS_PER_DOCUMENT) }, (_, document) => {
      const start = document * CHUNKS_PER_DOCUMENT;
      return { type: "TEXT" as const, text: texts.slice(start, start + CHUNKS_PER_DOCUMENT).join("\u001e") };
    });
    const config = { delimiter: "\u001e", chunkSize: 4096 };
    const job = await (await kb.ingest("bench", { type: "BATCH", items }, config)).done();
    if (job.counts.chunks !== count) throw new Error(`${job.counts.chunks} chunks, not ${count}: ${job.error}`);
    done += count;
    log(`${done} chunks, ${Math.round(done / ((performance.now() - started) / 1000))}/s`);
  }
  return { queries, chunksPerSecond: chunks / ((performance.now() - started) / 1000) };
}

/** Megabytes of each table with its indexes, the largest first, and of the database. */
async function tableSizes({ query }: TestDatabase): Promise<Readonly<Record<string, number>>> {
  const rows = await query<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_total_relation_size(oid) > 1000000
     UNION ALL SELECT 'all', pg_database_size(current_database()) ORDER BY bytes DESC`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes / 1e6]));
}

async function measureReaders(
  { url }: TestDatabase,
  mode: string,
  queries: readonly string[],
): Promise<readonly ReaderFigures[]> {
  const figures: ReaderFigures[] = [];
  for (let reader = 0; reader < READERS; reader++) {
    const parameters = JSON.stringify({ url, mode, queries });
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", READER, parameters]);
    figures.push(JSON.parse(stdout));
  }
  return figures;
}
