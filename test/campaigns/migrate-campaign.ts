import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { KnowledgeBase } from "#dist/index.js";
import type { KnowledgeBaseLocation, Migration } from "../../src/options.js";
import type { MigrationPhase } from "../../src/transfer/progress.js";
import type { MigrationSummary } from "../../src/transfer/transfer.js";
import { scriptArguments } from "../support/script-arguments.js";
import { type Random, seededRandom } from "./random.js";

export interface MigrateCampaign {
  /** The URL of an empty database. */
  readonly url: string;
  readonly chunks: number;
  /** How many processes are killed, half of them on the way back. */
  readonly kills: number;
  readonly seed: number;
  onStep?(step: string): void;
}

export interface MigrateOutcome {
  readonly chunks: number;
  readonly rows: number;
  readonly kills: number;
  /** The phases in which processes were killed. */
  readonly killedIn: Readonly<Record<string, number>>;
  /** Seconds that the processes ran, with what those that were killed did again. */
  readonly secondsThere: number;
  readonly secondsBack: number;
  readonly comparedHits: number;
  readonly faults: readonly string[];
}

const CHILD = scriptArguments(fileURLToPath(new URL("./migrate-child.ts", import.meta.url)));
const LIBRARY = new URL("../../dist/index.js", import.meta.url).href;
const CHUNKS_PER_DOCUMENT = 50;
const DOCUMENTS_PER_JOB = 100;
const TENANTS = [null, "acme", "bolt"];
const QUERIES = 12;
/** A kill comes up to this long after a report of progress, so that it can come at any moment. */
const MAX_DELAY_MS = 40;
/** Each table makes one report of what the processes before have copied, and each batch another. */
const MAX_REPORTS = 60;
const LATER_PHASES: readonly MigrationPhase[] = [
  "files",
  "index",
  "compare records",
  "compare files",
  "compare searches",
];

/**
 * Migrates a directory to PostgreSQL and back while processes are killed, and compares digests and hits of all three
 * knowledge bases.
 */
export async function migrateCampaign(options: MigrateCampaign): Promise<MigrateOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "lorebase-migrate-"));
  try {
    return await run(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run({ url, chunks, kills, seed, onStep = () => {} }: MigrateCampaign, folder: string) {
  const random = seededRandom(seed);
  const masterKey = randomBytes(32).toString("hex");
  const source = { directory: join(folder, "source") };
  const database = { database: url, directory: join(folder, "files"), sharedDirectory: true, masterKey };
  const back = { directory: join(folder, "back") };
  await fill(source, chunks, random);
  onStep("filled the directory");
  const faults: string[] = [];
  const killedIn: Record<string, number> = {};
  const migrate = async (migration: Migration, count: number) => {
    const trip = new Trip(migration, random, count);
    const summary = await trip.run(killedIn, faults);
    onStep(`${trip.kills} processes killed, ${summary.rows} rows equal`);
    return { summary, kills: trip.kills, seconds: trip.seconds };
  };
  const there = await migrate({ from: source, to: database }, Math.ceil(kills / 2));
  const returned = await migrate({ from: database, to: back }, Math.floor(kills / 2));
  if (!isDeepStrictEqual(there.summary.tables, returned.summary.tables)) faults.push("the digests differ");
  const queries = Array.from({ length: QUERIES }, () => textOf(random, 4));
  const [expected, ...others] = await Promise.all([source, database, back].map((at) => answersOf(at, queries)));
  for (const [index, answers] of others.entries())
    if (!isDeepStrictEqual(answers, expected)) faults.push(`${["database", "back"][index]}: hits differ`);
  return {
    chunks: there.summary.tables.find(({ name }) => name === "chunks")!.rows,
    rows: there.summary.rows,
    kills: there.kills + returned.kills,
    killedIn,
    secondsThere: there.seconds,
    secondsBack: returned.seconds,
    comparedHits: expected!.length,
    faults,
  };
}

/** Kills a process after so many reports of progress in a phase. */
interface Kill {
  readonly phase: MigrationPhase;
  readonly reports: number;
}

/** One migration, by as many processes as it takes. */
class Trip {
  readonly #migration: Migration;
  readonly #random: Random;
  readonly #kills: number;
  kills = 0;
  seconds = 0;

  constructor(migration: Migration, random: Random, kills: number) {
    this.#migration = migration;
    this.#random = random;
    this.#kills = kills;
  }

  async run(killedIn: Record<string, number>, faults: string[]): Promise<MigrationSummary> {
    for (;;) {
      const ended = await this.#process(this.kills < this.#kills ? this.#nextKill() : null);
      if ("summary" in ended) return ended.summary;
      killedIn[ended.phase] = (killedIn[ended.phase] ?? 0) + 1;
      this.kills++;
      const failure = await opened(this.#migration.to);
      if (failure !== "not_ready") faults.push(`opened after kill ${this.kills} in ${ended.phase}: ${failure}`);
    }
  }

  /** The first half of the kills comes while records are copied. */
  #nextKill(): Kill {
    const isEarly = this.kills < this.#kills / 2;
    if (isEarly) return { phase: "records", reports: this.#random.integer(1, MAX_REPORTS) };
    return { phase: LATER_PHASES[this.kills % LATER_PHASES.length]!, reports: this.#random.integer(1, 2) };
  }

  /** @param kill `null` to let the process end. */
  #process(kill: Kill | null): Promise<{ readonly phase: string } | { readonly summary: MigrationSummary }> {
    const started = performance.now();
    const child = spawn(process.execPath, [...CHILD, LIBRARY, JSON.stringify(this.#migration)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    let [phase, summary, reports]: [string, MigrationSummary | null, number] = ["start", null, 0];
    createInterface({ input: child.stdout }).on("line", (line) => {
      // The last line may have been cut by the kill.
      if (!line.endsWith("}")) return;
      const report = JSON.parse(line) as { phase?: string; summary?: MigrationSummary };
      phase = report.phase ?? phase;
      summary = report.summary ?? summary;
      if (phase === kill?.phase && ++reports === kill.reports)
        setTimeout(() => child.kill("SIGKILL"), this.#random.integer(0, MAX_DELAY_MS));
    });
    return new Promise((resolve, reject) => {
      child.once("close", (code, signal) => {
        this.seconds += (performance.now() - started) / 1000;
        if (summary) resolve({ summary });
        else if (signal === "SIGKILL") resolve({ phase });
        else reject(new Error(`A process ended with ${code}: ${said}`));
      });
    });
  }
}

/** The code of the error with which a knowledge base can't be opened; "none" if it can. */
async function opened(location: KnowledgeBaseLocation): Promise<string> {
  const kb = new KnowledgeBase({ ...location, worker: false });
  try {
    await kb.start();
    return "none";
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await kb.close();
  }
}

async function fill(location: KnowledgeBaseLocation, chunks: number, random: Random): Promise<void> {
  const kb = new KnowledgeBase({ ...location, worker: false });
  await kb.namespaces.create({ name: "Log", slug: "log", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const documents = Math.ceil(chunks / CHUNKS_PER_DOCUMENT);
  for (let from = 0, job = 0; from < documents; from += DOCUMENTS_PER_JOB, job++) {
    const items = Array.from({ length: Math.min(DOCUMENTS_PER_JOB, documents - from) }, (_, index) => {
      const text = Array.from({ length: CHUNKS_PER_DOCUMENT }, () => textOf(random, 12)).join("\n\n");
      const metadata = { part: (from + index) % 10, area: random.pick(["cove", "shore"]) };
      return { type: "TEXT" as const, text, config: { metadata, chunkSize: 100, maxChunkSize: 120, chunkOverlap: 0 } };
    });
    const tenant = TENANTS[job % TENANTS.length];
    const log = kb.namespace("log");
    await (tenant ? log.tenant(tenant) : log).ingest({ type: "BATCH", items });
    await log.uploads.put({ fileName: "note.md", body: Buffer.from(textOf(random, 500)) });
    await kb.drain();
  }
  await kb.close();
}

const SYLLABLES = "la mi tor ven sil dra ko pe ru na".split(" ");

function textOf(random: Random, words: number): string {
  const word = () => Array.from({ length: random.integer(2, 3) }, () => random.pick(SYLLABLES)).join("");
  return Array.from({ length: words }, word).join(" ");
}

/** The ids and scores of hits, for each query, mode, tenant, and with and without a filter. */
async function answersOf(location: KnowledgeBaseLocation, queries: readonly string[]): Promise<readonly string[]> {
  const kb = new KnowledgeBase({ ...location, worker: false });
  const answers: string[] = [];
  for (const query of queries) {
    for (const tenant of TENANTS) {
      const log = tenant ? kb.namespace("log").tenant(tenant) : kb.namespace("log");
      for (const mode of ["keyword", "semantic", "hybrid"] as const) {
        for (const filter of [null, { part: { $lt: 3 }, area: "cove" }]) {
          const hits = await log.search(query, { mode, topK: 10, ...(filter && { filter }) });
          answers.push(...hits.map(({ id, score }) => `${id} ${score.toFixed(6)}`));
        }
      }
    }
  }
  await kb.close();
  return answers;
}
