import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KnowledgeBase, type KnowledgeBaseOptions } from "lorebase";
import pg from "pg";
import type { TestDatabase } from "../test/support/postgres.js";
import { makeTexts } from "./texts.js";
import { withTestDatabase } from "./with-test-database.js";

const ROUNDS = 3;
/** Documents of a round, which are one job. */
const DOCUMENTS = 1000;
const CHARACTERS = 300;
const SEARCHES = 100;
const TASKS = 20_000;
const PROCESSES = 4;
/** The first one has nine tenths of the tasks. */
const ORGANIZATIONS = 50;
const CLAIMS = fileURLToPath(new URL("postgres-claims.ts", import.meta.url));

/**
 * Measures PostgreSQL beside SQLite in the same run: the ingest of short texts, with the statements, round trips and
 * transactions of this process, the time from the end of a job until a second knowledge base finds its document, and
 * claims by several processes. The server is on the same machine.
 */
export async function benchPostgres(log: (line: string) => void) {
  return withTestDatabase(async (database) => {
    const ingest = await benchIngest(database, log);
    const claims = await benchClaims(database);
    return { ...ingest, claims };
  });
}

async function benchIngest({ url }: TestDatabase, log: (line: string) => void) {
  const inPostgres = { database: url, masterKey: "11".repeat(32), sharedDirectory: true };
  const postgres = await open(inPostgres);
  const sqlite = await open({ directory: ":memory:" });
  const texts = makeTexts(DOCUMENTS * (ROUNDS + 1), CHARACTERS, 3);
  // Starts the threads, and compiles what the rounds run.
  for (const kb of [postgres, sqlite]) await ingest(kb, texts.slice(0, DOCUMENTS));
  const rates = { postgres: [] as number[], sqlite: [] as number[] };
  const counter = countStatements();
  for (let round = 1; round <= ROUNDS; round++) {
    const ofRound = texts.slice(round * DOCUMENTS, (round + 1) * DOCUMENTS);
    rates.postgres.push(await ingest(postgres, ofRound));
    rates.sqlite.push(await ingest(sqlite, ofRound));
    const both = `PostgreSQL ${rates.postgres.at(-1)!.toFixed(0)}, SQLite ${rates.sqlite.at(-1)!.toFixed(0)}`;
    log(`round ${round}: ${both} documents/s`);
  }
  const perDocument = counter.end(DOCUMENTS * ROUNDS);
  await sqlite.close();
  const reader = new KnowledgeBase({ ...inPostgres, worker: false });
  const visible = await timeToFind(postgres, reader);
  await reader.close();
  await postgres.close();
  return {
    documentsPerSecond: median(rates.postgres),
    ratioToSqlite: median(rates.postgres.map((rate, round) => rate / rates.sqlite[round]!)),
    perDocument,
    endToFoundMs: { p50: quantile(visible, 0.5), p95: quantile(visible, 0.95) },
  };
}

async function open(options: KnowledgeBaseOptions): Promise<KnowledgeBase> {
  const kb = new KnowledgeBase(options);
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  return kb;
}

async function ingest(kb: KnowledgeBase, texts: readonly string[]): Promise<number> {
  const items = texts.map((text) => ({ type: "TEXT" as const, text }));
  const started = performance.now();
  const job = await (await kb.ingest("bench", { type: "BATCH", items })).done();
  if (job.status !== "COMPLETED") throw new Error(`The job is ${job.status}: ${job.error}`);
  return texts.length / ((performance.now() - started) / 1000);
}

/** Measures the searches of a reader that find a document whose job has just ended. */
async function timeToFind(writer: KnowledgeBase, reader: KnowledgeBase): Promise<readonly number[]> {
  const times: number[] = [];
  await reader.search("bench", "first", { mode: "keyword" });
  for (let index = 0; index < SEARCHES; index++) {
    const word = `visible${index}`;
    await ingest(writer, [`A document with the word ${word}.`]);
    const ended = performance.now();
    while ((await reader.search("bench", word, { mode: "keyword" })).length === 0);
    times.push(performance.now() - ended);
  }
  return times;
}

/** Counts what the connections of this thread send. A round trip begins when nothing else is waited for. */
function countStatements() {
  const counts = { statements: 0, roundTrips: 0, transactions: 0 };
  const waiting = new WeakMap<object, number>();
  const send = pg.Client.prototype.query as (...input: readonly unknown[]) => Promise<unknown>;
  pg.Client.prototype.query = function (this: pg.Client, ...input: readonly unknown[]) {
    const before = waiting.get(this) ?? 0;
    counts.statements++;
    if (before === 0) counts.roundTrips++;
    if (String(input[0]).startsWith("BEGIN")) counts.transactions++;
    waiting.set(this, before + 1);
    const result = send.apply(this, [...input]);
    const end = () => void waiting.set(this, waiting.get(this)! - 1);
    result.then(end, end);
    return result;
  } as typeof pg.Client.prototype.query;
  return {
    end(documents: number) {
      pg.Client.prototype.query = send as typeof pg.Client.prototype.query;
      const { statements, roundTrips, transactions } = counts;
      return {
        statements: statements / documents,
        roundTrips: roundTrips / documents,
        transactions: transactions / documents,
      };
    },
  };
}

async function benchClaims({ url, query }: TestDatabase) {
  await query(
    `INSERT INTO organizations (id, name, created_at) SELECT 'claims_' || i, 'Bench', 0 FROM generate_series(1, $1) i`,
    [ORGANIZATIONS],
  );
  await query(
    `INSERT INTO tasks (organization_id, kind, subject, run_at)
     SELECT 'claims_' || CASE WHEN i % 10 = 0 THEN 2 + i / 10 % ($2 - 1) ELSE 1 END, 'purge', i, 0
     FROM generate_series(1, $1) i`,
    [TASKS, ORGANIZATIONS],
  );
  const started = performance.now();
  const claimed = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, index) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...process.execArgv, CLAIMS, url, `process_${index}`],
        { maxBuffer: 2 ** 24 },
      );
      return JSON.parse(stdout) as number[];
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const all = claimed.flat();
  if (new Set(all).size !== TASKS) throw new Error(`${new Set(all).size} of ${TASKS} tasks were claimed.`);
  return { tasks: TASKS, processes: PROCESSES, perSecond: TASKS / seconds, claimedTwice: all.length - TASKS };
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}
