import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as yieldToEvents } from "node:timers/promises";
import { KnowledgeBase } from "lorebase";
import { quantile } from "../../bench/load.js";
import { seededRandom } from "./random.js";
import { ServeProcess } from "./serve-process.js";
import { SoakClient } from "./soak-client.js";
import { type SoakDocument, SoakDocuments, type SoakQuery } from "./soak-documents.js";

const NAMESPACE = "/v1/namespace/soak";
const SEARCH_CONNECTIONS = 32;
const WRITE_CONNECTIONS = 4;
/** Of so many searches, one is for a deleted document. */
const SEARCHES_PER_DELETED = 20;
const POLL_MS = 1000;
const SAMPLE_MS = 1000;
/** Documents that are queued at once before the run. */
const MAX_FILLED = 250;
/** Jobs that are asked for at once where nothing else happens. */
const MAX_AWAITED = 50;
/** A job that takes longer is an error. */
const MAX_JOB_MS = 60_000;
const MAX_SHOWN_ERRORS = 20;
const MEGABYTE = 1024 * 1024;

export interface SoakPlan {
  readonly seconds: number;
  /** How much of it passes before memory and descriptors are compared. */
  readonly warmUpSeconds: number;
  readonly documents: number;
  readonly searchesPerSecond: number;
  /** Documents ingested, and as many deleted. */
  readonly writesPerSecond: number;
  readonly seed: number;
  /** Called every second. */
  onSample?(sample: SoakSample): void;
}

interface SoakSample {
  readonly seconds: number;
  /** Of the server and its descendants. */
  readonly residentMb: number;
  /** Open files and sockets. */
  readonly descriptors: number;
  readonly walMb: number;
  readonly documents: number;
  readonly searches: number;
  readonly errors: number;
}

/** What a figure was at first and at last: the medians of the first and the last fifth of its samples after the warm-up. */
interface Course {
  readonly first: number;
  readonly last: number;
  readonly peak: number;
}

export interface SoakOutcome {
  readonly documents: number;
  readonly ingested: number;
  readonly deleted: number;
  readonly searches: number;
  readonly searchesPerSecond: number;
  /** Milliseconds from the time for which a search was scheduled to the end of its answer. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
  /** How late searches were sent, in milliseconds: what this process adds to their latency. */
  readonly lateP99: number;
  /** Processor time of the server and of this process, in seconds a second. */
  readonly processor: { readonly server: number; readonly load: number };
  readonly residentMb: Course & { readonly slopePerMinute: number };
  readonly descriptors: Course;
  readonly maxWalMb: number;
  /** What the check compared: as many documents as were stored. */
  readonly checked: { readonly documents: number; readonly chunks: number };
  readonly errors: number;
  /** The first of the errors. */
  readonly shown: readonly string[];
}

/**
 * Searches a server at a steady rate, whether or not it has answered before, while documents are ingested and as many
 * are deleted. Each search must find the document that it is for, unless that was deleted. At the end the directory is
 * checked. Linux only.
 */
export async function soakCampaign(plan: SoakPlan): Promise<SoakOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-soak-"));
  try {
    const server = await ServeProcess.start(directory);
    const run = new SoakRun(plan, server, directory);
    let exitCode: number | null = null;
    try {
      await run.fill();
      await run.soak();
    } finally {
      run.close();
      exitCode = await server.stop();
    }
    if (exitCode !== 0) run.fail(`The server ended with the code ${exitCode}.`);
    for (const problem of server.problems) run.fail(`The server logged ${problem}`);
    return run.conclude(await checkDirectory(directory, (finding) => run.fail(finding)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

class SoakRun {
  readonly #plan: SoakPlan;
  readonly #server: ServeProcess;
  readonly #walPath: string;
  readonly #searchClient: SoakClient;
  readonly #writeClient: SoakClient;
  readonly #documents: SoakDocuments;
  readonly #latencies: number[] = [];
  readonly #delays: number[] = [];
  readonly #samples: SoakSample[] = [];
  readonly #acceptedAt = new Map<SoakDocument, number>();
  readonly #shown: string[] = [];
  #processor = { server: 0, load: 0 };
  #errors = 0;
  #ingested = 0;
  #deleted = 0;

  constructor(plan: SoakPlan, server: ServeProcess, directory: string) {
    this.#plan = plan;
    this.#server = server;
    this.#walPath = join(directory, "lorebase.db-wal");
    this.#searchClient = new SoakClient(server, SEARCH_CONNECTIONS);
    this.#writeClient = new SoakClient(server, WRITE_CONNECTIONS);
    this.#documents = new SoakDocuments(seededRandom(plan.seed));
  }

  /** Stores the documents that the run begins with. */
  async fill(): Promise<void> {
    const embeddingConfig = { provider: "MANAGED_STATIC" };
    await this.#writeClient.call("POST", "/v1/namespace", { name: "Soak", slug: "soak", embeddingConfig });
    while (this.#documents.count < this.#plan.documents && this.#errors === 0) {
      const missing = Math.min(MAX_FILLED, this.#plan.documents - this.#documents.count);
      await Promise.all(Array.from({ length: missing }, () => this.#ingest()));
      await this.#awaitJobs();
    }
    if (this.#errors > 0) throw new Error(`The documents could not be stored: ${this.#shown.join(" ")}`);
    this.#ingested = 0;
    // Opens all connections, so that a later one is not taken for a descriptor that the server keeps.
    await Promise.all(Array.from({ length: SEARCH_CONNECTIONS }, () => this.#searchClient.call("GET", NAMESPACE)));
  }

  async soak(): Promise<void> {
    const { seconds, searchesPerSecond, writesPerSecond } = this.#plan;
    const [startedAt, server, load] = [performance.now(), this.#server.processorSeconds, process.cpuUsage()];
    const sampling = setInterval(() => this.#sample(startedAt), SAMPLE_MS);
    try {
      await Promise.all([
        runAtRate({ perSecond: searchesPerSecond, seconds }, (at, count) => this.#search(at, count)),
        runAtRate({ perSecond: writesPerSecond, seconds }, () => this.#write()),
        runAtRate({ perSecond: 1000 / POLL_MS, seconds }, () => this.#pollJobs(this.#documents.accepted)),
      ]);
    } finally {
      clearInterval(sampling);
    }
    const { user, system } = process.cpuUsage(load);
    const elapsed = (performance.now() - startedAt) / 1000;
    this.#processor = {
      server: (this.#server.processorSeconds - server) / elapsed,
      load: (user + system) / 1e6 / elapsed,
    };
    await this.#awaitJobs();
  }

  fail(error: string): void {
    this.#errors++;
    if (this.#shown.length < MAX_SHOWN_ERRORS) this.#shown.push(error);
  }

  close(): void {
    this.#searchClient.close();
    this.#writeClient.close();
  }

  conclude(checked: SoakOutcome["checked"]): SoakOutcome {
    const { seconds, warmUpSeconds } = this.#plan;
    const stored = this.#documents.count;
    if (checked.documents !== stored) this.fail(`The check found ${checked.documents} documents instead of ${stored}.`);
    const latencies = this.#latencies.sort(ascending);
    const samples = this.#samples.filter((sample) => sample.seconds >= warmUpSeconds);
    const resident = samples.map(({ residentMb }) => residentMb);
    const minutes = samples.map((sample) => sample.seconds / 60);
    return {
      documents: stored,
      ingested: this.#ingested,
      deleted: this.#deleted,
      searches: latencies.length,
      searchesPerSecond: latencies.length / seconds,
      latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), max: latencies.at(-1)! },
      lateP99: quantile(this.#delays.sort(ascending), 0.99),
      processor: this.#processor,
      residentMb: { ...courseOf(resident), slopePerMinute: slopeOf(minutes, resident) },
      descriptors: courseOf(samples.map(({ descriptors }) => descriptors)),
      maxWalMb: Math.max(...this.#samples.map(({ walMb }) => walMb)),
      checked,
      errors: this.#errors,
      shown: this.#shown,
    };
  }

  async #search(scheduledAt: number, count: number): Promise<void> {
    const deleted = count % SEARCHES_PER_DELETED === 0 ? this.#documents.queryDeleted() : null;
    const { query, marker, isExpected }: SoakQuery = deleted ?? this.#documents.queryPublished();
    this.#delays.push(performance.now() - scheduledAt);
    await this.#attempt(async () => {
      const body = { query, mode: "keyword" };
      const hits = await this.#searchClient.call<readonly { text: string }[]>("POST", `${NAMESPACE}/search`, body);
      this.#latencies.push(performance.now() - scheduledAt);
      const isFound = hits.some(({ text }) => text.includes(marker));
      if (isFound !== isExpected)
        this.fail(`The search for "${query}" ${isFound ? "finds" : "doesn't find"} ${marker}.`);
    });
  }

  /** Adds one document, and deletes the oldest if there are more than planned: two at most, to catch up after a stall. */
  async #write(): Promise<void> {
    const excess = Math.min(2, this.#documents.count - this.#plan.documents);
    const oldest = Array.from({ length: Math.max(0, excess) }, () => this.#documents.takeOldest());
    await Promise.all([this.#ingest(), ...oldest.map((document) => document && this.#delete(document))]);
  }

  #ingest(): Promise<void> {
    return this.#attempt(async () => {
      const { number, text } = this.#documents.create();
      const payload = { type: "TEXT", text };
      const { id } = await this.#writeClient.call<{ id: string }>("POST", `${NAMESPACE}/ingest-jobs`, { payload });
      const document = { number, jobId: id };
      this.#documents.accept(document);
      this.#acceptedAt.set(document, performance.now());
    });
  }

  #delete(document: SoakDocument): Promise<void> {
    return this.#attempt(async () => {
      await this.#writeClient.call("DELETE", `${NAMESPACE}/ingest-jobs/${document.jobId}`);
      this.#documents.confirmDeletion(document);
      this.#deleted++;
    });
  }

  /** Waits until all accepted jobs have ended: as a rule in the order in which they were accepted. */
  async #awaitJobs(): Promise<void> {
    while (this.#documents.accepted.length > 0) {
      await delay(POLL_MS / 10);
      await this.#pollJobs(this.#documents.accepted.slice(0, MAX_AWAITED));
    }
  }

  /** Asks which of the jobs have ended. */
  async #pollJobs(accepted: readonly SoakDocument[]): Promise<void> {
    await Promise.all(accepted.map((document) => this.#attempt(() => this.#pollJob(document))));
  }

  async #pollJob(document: SoakDocument): Promise<void> {
    const path = `${NAMESPACE}/ingest-jobs/${document.jobId}`;
    const job = await this.#writeClient.call<{ completedAt: string | null; failedAt: string | null }>("GET", path);
    const acceptedAt = this.#acceptedAt.get(document);
    // A slow answer may come after that of the next poll.
    if (acceptedAt === undefined) return;
    const waitedMs = performance.now() - acceptedAt;
    if (job.completedAt === null && job.failedAt === null && waitedMs < MAX_JOB_MS) return;
    this.#acceptedAt.delete(document);
    this.#documents.publish(document);
    if (job.completedAt !== null) this.#ingested++;
    else this.fail(`The job ${document.jobId} ${job.failedAt ? "failed" : "took more than a minute"}.`);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.fail(String(error));
    }
  }

  #sample(startedAt: number): void {
    const sample = {
      seconds: (performance.now() - startedAt) / 1000,
      residentMb: this.#server.residentMb,
      descriptors: this.#server.descriptors,
      walMb: (statSync(this.#walPath, { throwIfNoEntry: false })?.size ?? 0) / MEGABYTE,
      documents: this.#documents.count,
      searches: this.#latencies.length,
      errors: this.#errors,
    };
    this.#samples.push(sample);
    this.#plan.onSample?.(sample);
  }
}

/**
 * Starts work at a steady rate, whether or not earlier work has ended. Returns when all of it has.
 * @param start Gets the time for which it was scheduled.
 */
async function runAtRate(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  start: (scheduledAt: number, count: number) => Promise<void>,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let count = 0; count < perSecond * seconds; count++) {
    const scheduledAt = startedAt + (count * 1000) / perSecond;
    const waitMs = scheduledAt - performance.now();
    // Answers are read even while the work is late.
    await (waitMs > 0 ? delay(waitMs) : yieldToEvents());
    const work = start(scheduledAt, count).finally(() => pending.delete(work));
    pending.add(work);
  }
  await Promise.all(pending);
}

async function checkDirectory(
  directory: string,
  onFinding: (finding: string) => void,
): Promise<SoakOutcome["checked"]> {
  await using kb = new KnowledgeBase({ directory, worker: false });
  for await (const event of kb.check()) {
    if (event.type === "finding") onFinding(`The check found: ${event.finding.message}`);
    if (event.type === "summary") return event.summary.checked;
  }
  throw new Error("The check had no summary.");
}

function courseOf(values: readonly number[]): Course {
  const fifth = Math.ceil(values.length / 5);
  return { first: median(values.slice(0, fifth)), last: median(values.slice(-fifth)), peak: Math.max(...values) };
}

function median(values: readonly number[]): number {
  return quantile([...values].sort(ascending), 0.5);
}

/** The slope of the line with the least squares of the distances. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, index) => sum + (x - meanX) * (ys[index]! - meanY), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
}

function ascending(a: number, b: number): number {
  return a - b;
}
