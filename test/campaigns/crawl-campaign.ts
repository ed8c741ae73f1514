import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import BetterSqlite3 from "better-sqlite3";
import { scriptArguments } from "../support/script-arguments.js";
import { SITE_DEPTH } from "../support/site/site-pages.js";
import { startSite, type TestSite } from "../support/site/start-site.js";
import { seededRandom } from "./random.js";

export interface CrawlCampaignOptions {
  readonly kills: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onKill?(kills: number): void;
}

export interface CrawlCampaignOutcome {
  readonly kills: number;
  /** That were ended, each after some of the kills. */
  readonly crawls: number;
  readonly documents: number;
  /** Of a crawl that nobody disturbs. */
  readonly requests: number;
  /** Beyond those of undisturbed crawls, for each kill. */
  readonly repeatedPerKill: number;
  readonly faults: readonly string[];
}

const CHILD = scriptArguments(fileURLToPath(new URL("./crawl-child.ts", import.meta.url)));
const NAMESPACE = "campaign";
/** Longer than a crawl takes: some kills come after it, among the documents. */
const LONGEST_MS = 3000;
/** Pages under way, and what is asked of a site when a crawl begins again: robots.txt, the page that can't exist, four sitemaps. */
const MOST_REPEATED = 8 + 6;

/**
 * Kills processes with SIGKILL at random moments of a crawl and of the ingest of its pages, one after another on the same job until it
 * ends, and compares its documents with those of a crawl that nobody disturbs.
 */
export async function crawlCampaign(options: CrawlCampaignOptions): Promise<CrawlCampaignOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-crawl-"));
  const site = await startSite();
  try {
    return await run(options, directory, site);
  } finally {
    await site.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(
  { kills: wanted, seed, library, onKill }: CrawlCampaignOptions,
  directory: string,
  site: TestSite,
): Promise<CrawlCampaignOutcome> {
  const random = seededRandom(seed);
  const faults: string[] = [];
  const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
  /** Makes a job that the next process takes up. */
  const create = async () => {
    const kb = new KnowledgeBase({ directory, worker: false, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
    await kb.namespaces.create({ name: NAMESPACE, slug: NAMESPACE }).catch(() => {});
    // Without the pages that take their time, and those that fail a few times first.
    const excludePaths = ["/heavy", "/odd/flaky", "/errors/500"];
    const payload = { type: "CRAWL" as const, url: site.origin, limit: 1000, maxDepth: SITE_DEPTH, excludePaths };
    const { id } = await kb.ingestJobs.create(NAMESPACE, { payload });
    await kb.close();
    return id;
  };
  const begin = (job: string) => new Child([library, directory, `127.0.0.1:${site.port}`, NAMESPACE, job]);

  const first = await create();
  await begin(first).run();
  const expected = documentsOf(directory, first);
  const requests = site.requests.length;
  let crawls = 0;
  let kills = 0;
  while (kills < wanted) {
    const before = { requests: site.requests.length, kills };
    const job = await create();
    for (let next = begin(job), ended = false; !ended; ) {
      const child = next;
      next = begin(job);
      ended = kills === wanted ? await child.run() : await child.run(random.integer(0, LONGEST_MS));
      if (ended) await next.end();
      else {
        kills++;
        onKill?.(kills);
      }
    }
    crawls++;
    const repeated = site.requests.length - before.requests - requests;
    const most = (kills - before.kills) * MOST_REPEATED;
    if (repeated > most) faults.push(`crawl ${crawls}: ${repeated} requests again after ${kills - before.kills} kills`);
    const documents = documentsOf(directory, job);
    faults.push(...differences(expected, documents).map((fault) => `crawl ${crawls}: ${fault}`));
    faults.push(...leftOvers(directory).map((fault) => `crawl ${crawls}: ${fault}`));
  }
  const repeated = site.requests.length - requests * (crawls + 1);
  return { kills, crawls, documents: expected.size, requests, repeatedPerKill: repeated / kills, faults };
}

/** By address: the document's status, name and text, without its ids. */
function documentsOf(directory: string, job: string): ReadonlyMap<string, string> {
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  try {
    const rows = db
      .prepare(
        `SELECT d.seq, d.item, d.found_key AS key, d.status, d.name, d.error, d.generation, d.total_chunks AS chunks, s.source
         FROM documents d JOIN document_sources s ON s.document_seq = d.seq WHERE d.ingest_job_id = ?`,
      )
      .all(job) as { seq: number; key: string; generation: number }[];
    const chunks = db.prepare(
      "SELECT text, metadata FROM chunks WHERE document_seq = ? AND generation = ? ORDER BY ordinal",
    );
    return new Map(
      rows.map(({ seq, key, generation, ...row }) => {
        const text = createHash("sha256")
          .update(JSON.stringify(chunks.all(seq, generation)))
          .digest("hex");
        return [key, JSON.stringify({ ...row, text })];
      }),
    );
  } finally {
    db.close();
  }
}

function differences(expected: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): readonly string[] {
  return [
    ...[...expected.keys()].filter((key) => !found.has(key)).map((key) => `lost: ${key}`),
    ...[...found.keys()].filter((key) => !expected.has(key)).map((key) => `beyond: ${key}`),
    ...[...found]
      .filter(([key, shown]) => expected.has(key) && expected.get(key) !== shown)
      .map(([key, shown]) => `other: ${key} is ${shown}, not ${expected.get(key)}`),
  ];
}

/** Questions whose answer is empty in a directory at rest. */
function leftOvers(directory: string): readonly string[] {
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  const questions = [
    ["a task", "SELECT 1 FROM tasks"],
    ["bytes of a document that is published", "SELECT 1 FROM fetched_sources"],
    ["a page that is pending", "SELECT 1 FROM crawl_pages WHERE state = 'pending'"],
    [
      "a chunk of a generation that is not published",
      "SELECT 1 FROM chunks c JOIN documents d ON d.seq = c.document_seq WHERE c.generation <> d.generation",
    ],
    [
      "a published document without its origin",
      "SELECT 1 FROM documents WHERE generation > 0 AND seq NOT IN (SELECT document_seq FROM origins)",
    ],
    [
      "a job that counts wrong",
      `SELECT 1 FROM ingest_jobs j WHERE documents_total <> documents_completed + documents_failed
       OR documents_total <> (SELECT count(*) FROM documents d WHERE d.ingest_job_id = j.id)`,
    ],
  ] as const;
  try {
    return questions.flatMap(([what, sql]) => (db.prepare(sql).get() ? [`left: ${what}`] : []));
  } finally {
    db.close();
  }
}

/** A process that has loaded the engine and waits to be let go: loading takes longer than most of what follows. */
class Child {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #heard = new Map<string, () => void>();
  readonly #started: Promise<void>;
  readonly #loaded: Promise<void>;
  #isDone = false;
  #said = "";

  constructor(parameters: readonly string[]) {
    this.#process = spawn(process.execPath, [...CHILD, ...parameters], { stdio: "pipe" });
    this.#closed = once(this.#process, "close");
    this.#loaded = new Promise((resolve) => this.#heard.set("loaded", resolve));
    this.#started = new Promise((resolve) => this.#heard.set("started", resolve));
    this.#process.stdin!.on("error", () => {});
    this.#process.stderr!.on("data", (text) => {
      this.#said += text;
    });
    createInterface({ input: this.#process.stdout! }).on("line", (line) => {
      this.#isDone ||= line === "done";
      this.#heard.get(line)?.();
    });
  }

  /** Lets it work, to the end or until it is killed so many milliseconds after it has started. Returns whether it came to the end. */
  async run(killAfterMs?: number): Promise<boolean> {
    await Promise.race([this.#loaded, this.#closed]);
    this.#process.stdin!.write("go\n");
    await Promise.race([this.#started, this.#closed]);
    const kill = killAfterMs === undefined ? undefined : setTimeout(() => this.#process.kill("SIGKILL"), killAfterMs);
    await this.#closed;
    clearTimeout(kill);
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== 0 && signalCode !== "SIGKILL") throw new Error(`A process ended by itself: ${this.#said}`);
    return this.#isDone;
  }

  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#closed;
  }
}
