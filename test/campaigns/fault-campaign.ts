import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "./after.js";
import { CampaignProcess } from "./child-process.js";
import { JobLedger } from "./job-ledger.js";
import { stampingChunker } from "./pieces.js";
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

/** With these jobs, the scope is large enough for a keyword table of its own. */
const BASE = { jobs: 6, documents: 5, pieces: 40 };

/**
 * Kills processes with SIGKILL at random moments of ingest, re-ingest, removal and recovery, with a second process on the same
 * directory, and inspects what is left after each restart.
 */
export async function faultCampaign(options: CampaignOptions): Promise<CampaignOutcome> {
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
  readonly #ledger = new JobLedger();
  #companion: CampaignProcess | null = null;
  #victim: CampaignProcess | null = null;
  /** A process that has loaded the engine and not opened it: loading takes longer than everything else in a round. */
  #standby: CampaignProcess | null = null;
  #round = 0;
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
    await this.#ledger.prepare(kb, this.#random, BASE);
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
    const { acknowledged, deleted } = this.#ledger;
    this.#ledger.record(`round ${this.#round}`, inspectDirectory(this.#directory, acknowledged, deleted));
  }

  #order(victim: CampaignProcess, companion: CampaignProcess): void {
    const random = this.#random;
    const { doomed, living } = this.#ledger.thinOut();
    companion.send({ order: "watch", documents: living.flatMap(({ documents }) => documents) });
    const again = () => Array.from({ length: 3 }, () => random.pick(living).id);
    victim.send({ order: "work", creations: 8, again: again(), doomed });
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
    return new CampaignProcess(start, (name, report) => this.#ledger.hear(name, report));
  }

  #outcome(): CampaignOutcome {
    const { created, baseCount, deleted, searches, checks, faults } = this.#ledger;
    return {
      ...{ rounds: this.#round, acknowledged: created + baseCount },
      ...{ deleted: deleted.size, searches, checks, faults },
    };
  }
}
