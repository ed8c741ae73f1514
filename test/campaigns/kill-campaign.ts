import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CampaignProcess } from "./child-process.js";
import type { Report } from "./messages.js";
import type { Findings } from "./oracle.js";
import { planDocument, stampingChunker, textOf } from "./pieces.js";
import { type Random, seededRandom } from "./random.js";
import { inspectDirectory } from "./sqlite-oracle.js";

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onRound?(round: number, outcome: CampaignOutcome): void;
}

export interface CampaignOutcome {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly deleted: number;
  readonly searches: number;
  readonly checks: number;
  readonly faults: readonly string[];
}

/** Jobs that are never deleted: with them the scope is large enough for a keyword table of its own. */
const BASE_JOBS = 6;
const BASE_DOCUMENTS = 5;
const BASE_PIECES = 40;
/** More jobs than this are thinned out, so that a late round costs what an early one does. */
const MOST_JOBS = 40;

/**
 * Kills processes with SIGKILL at random moments of ingest, re-ingest, removal and recovery, with a second process on the same
 * directory, and inspects what is left after each restart.
 */
export async function killCampaign(options: CampaignOptions): Promise<CampaignOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-kill-"));
  const campaign = new Campaign(options, directory);
  try {
    return await campaign.run();
  } finally {
    await campaign.end();
    await rm(directory, { recursive: true, force: true });
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #directory: string;
  readonly #random: Random;
  readonly #acknowledged = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #doomed = new Set<string>();
  readonly #faults: string[] = [];
  #base: readonly string[] = [];
  #jobs: Findings["jobs"] = [];
  #companion: CampaignProcess | null = null;
  #victim: CampaignProcess | null = null;
  /** A process that has loaded the engine and not opened it: loading takes longer than everything else in a round. */
  #standby: CampaignProcess | null = null;
  #round = 0;
  #searches = 0;
  #checks = 0;
  #known = 0;
  #spawned = 0;

  constructor(options: CampaignOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<CampaignOutcome> {
    await this.#prepare();
    for (this.#round = 1; this.#round <= this.#options.rounds; this.#round++) {
      await this.#killOnce();
      this.#options.onRound?.(this.#round, this.#outcome());
    }
    await this.#restart();
    this.#check();
    return { ...this.#outcome(), rounds: this.#options.rounds };
  }

  async end(): Promise<void> {
    await Promise.all([this.#victim?.kill(), this.#companion?.kill(), this.#standby?.kill()]);
  }

  async #prepare(): Promise<void> {
    const { KnowledgeBase } = (await import(this.#options.library)) as typeof import("lorebase");
    const kb = new KnowledgeBase({ directory: this.#directory, chunker: stampingChunker });
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    await kb.namespaces.create({ name: "Campaign", slug: "campaign", embeddingConfig });
    const base = Array.from({ length: BASE_JOBS }, (_, job) => {
      const items = Array.from({ length: BASE_DOCUMENTS }, (_, item) => {
        const document = planDocument(this.#random, `base${job}x${item}`, BASE_PIECES);
        const config = { metadata: { marker: document.marker } };
        return { type: "TEXT" as const, text: textOf(document, this.#random), config };
      });
      return kb.namespace("campaign").ingestJobs.create({ payload: { type: "BATCH", items } });
    });
    this.#base = (await Promise.all(base)).map(({ id }) => id);
    for (const id of this.#base) this.#acknowledged.add(id);
    await kb.drain();
    await kb.close();
  }

  async #killOnce(): Promise<void> {
    const random = this.#random;
    this.#companion ??= this.#start("companion");
    const companion = this.#companion;
    // One kill in five comes before the work: in the midst of opening, or of taking up what the last one left. The first has left nothing.
    if (this.#round > 1 && random.next() < 0.2) {
      this.#victim = this.#start("victim");
      await after(random.integer(0, 300));
    } else {
      const victim = await this.#restart();
      this.#check();
      this.#order(victim, companion);
      await after(random.integer(0, 300));
    }
    const both = random.next() < 0.25;
    await Promise.all([this.#victim!.kill(), both ? companion.kill() : null]);
    this.#victim = null;
    if (both) this.#companion = null;
    else await companion.ask({ order: "rest" }, "resting");
  }

  /** Starts a process that finishes what the last one left. */
  async #restart(): Promise<CampaignProcess> {
    const victim = this.#start("victim");
    this.#victim = victim;
    await victim.ask({ order: "drain" }, "drained");
    return victim;
  }

  #check(): void {
    const { faults, jobs } = inspectDirectory(this.#directory, this.#acknowledged, this.#deleted);
    this.#checks++;
    this.#faults.push(...faults.map((fault) => `round ${this.#round}: ${fault}`));
    this.#jobs = jobs;
    // What the last round doomed and did not get to may live or not: it is doomed again.
    for (const id of this.#doomed) if (!jobs.some((job) => job.id === id)) this.#doomed.delete(id);
  }

  #order(victim: CampaignProcess, companion: CampaignProcess): void {
    const random = this.#random;
    const passing = this.#jobs.map(({ id }) => id).filter((id) => !this.#base.includes(id));
    for (const id of passing.slice(0, Math.max(0, passing.length - MOST_JOBS))) this.#doomed.add(id);
    const living = this.#jobs.filter(({ id }) => !this.#doomed.has(id));
    for (const id of this.#doomed) this.#acknowledged.delete(id);
    companion.send({ order: "watch", documents: living.flatMap(({ documents }) => documents) });
    const again = () => Array.from({ length: 3 }, () => random.pick(living).id);
    victim.send({ order: "work", creations: 8, again: again(), doomed: [...this.#doomed] });
    companion.send({ order: "work", creations: 4, again: again(), doomed: [] });
  }

  #start(role: "victim" | "companion"): CampaignProcess {
    const process = this.#standby ?? this.#spawn();
    this.#standby = this.#spawn();
    process.name = `${role} of round ${this.#round}`;
    process.send({ order: "start" });
    return process;
  }

  #spawn(): CampaignProcess {
    const { library } = this.#options;
    const start = {
      library,
      options: { directory: this.#directory },
      prefix: `p${this.#spawned++}`,
      seed: this.#random.integer(0, 1e9),
    };
    return new CampaignProcess(start, (name, report) => this.#hear(name, report));
  }

  #hear(name: string, report: Report): void {
    if (report.report === "created") {
      this.#acknowledged.add(report.job);
      this.#known++;
    } else if (report.report === "deleted") this.#deleted.add(report.job);
    else if (report.report === "searched") this.#searches += report.searches;
    else if (report.report === "fault") this.#faults.push(`${name}: ${report.fault}`);
  }

  #outcome(): CampaignOutcome {
    return {
      rounds: this.#round,
      acknowledged: this.#known + this.#base.length,
      deleted: this.#deleted.size,
      searches: this.#searches,
      checks: this.#checks,
      faults: this.#faults,
    };
  }
}

/** The one place where time passes by the clock: the kill has to come at a moment that nobody chose. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
