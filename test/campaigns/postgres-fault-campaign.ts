import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBaseOptions } from "lorebase";
import { after } from "./after.js";
import type { CampaignServer } from "./campaign-server.js";
import { CampaignProcess } from "./child-process.js";
import { CutProxy } from "./cut-proxy.js";
import { JobLedger } from "./job-ledger.js";
import type { Report } from "./messages.js";
import { pagedParser, stampingChunker } from "./pieces.js";
import { inspectPostgres } from "./postgres-oracle.js";
import { type Random, seededRandom } from "./random.js";

/** What happens to processes that share a database, or to the database. */
interface FaultRounds {
  /** A process or several are killed. */
  readonly kill: number;
  /** A process or two are suspended until others have run their tasks, and go on then. */
  readonly stop: number;
  /** A process or two lose their connections, or hear nothing, until others have run their tasks. */
  readonly cut: number;
  /** The server crashes and starts again. */
  readonly restart: number;
}

export interface PostgresFaultOptions {
  readonly server: CampaignServer;
  readonly rounds: FaultRounds;
  readonly processes: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onRound?(outcome: PostgresFaultOutcome): void;
}

export interface PostgresFaultOutcome {
  readonly rounds: FaultRounds;
  readonly acknowledged: number;
  readonly deleted: number;
  readonly searches: number;
  /** Calls that failed because the database was out of reach. */
  readonly unreachable: number;
  readonly checks: number;
  readonly faults: readonly string[];
}

interface Member {
  readonly process: CampaignProcess;
  readonly proxy: CutProxy;
}

const BASE = { jobs: 6, documents: 3, pieces: 30 };
const PATIENCE_MS = 150_000;
const HURRY_MS = 250;

/**
 * Lets processes with a knowledge base in one PostgreSQL database create, repeat, delete and search, lets something happen
 * to them, and inspects the database when they rest. Leases last 40 s and retries wait for seconds: instead of waiting, the
 * campaign ends them.
 */
export async function postgresFaultCampaign(options: PostgresFaultOptions): Promise<PostgresFaultOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-faults-"));
  const campaign = new PostgresFaultCampaign(options, directory);
  try {
    return await campaign.run();
  } finally {
    await campaign.end();
    await rm(directory, { recursive: true, force: true });
  }
}

class PostgresFaultCampaign {
  readonly #options: PostgresFaultOptions;
  readonly #directory: string;
  readonly #random: Random;
  readonly #ledger = new JobLedger();
  readonly #done = { kill: 0, stop: 0, cut: 0, restart: 0 };
  #spawned = 0;
  #members: Member[] = [];
  /** A process that has loaded the engine and not opened it: loading takes longer than everything else in a round. */
  #standby: Member | null = null;
  #round = "";

  constructor(options: PostgresFaultOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<PostgresFaultOutcome> {
    await this.#prepare();
    await this.#check();
    const kinds = (Object.keys(this.#done) as (keyof FaultRounds)[]).flatMap((kind) =>
      Array.from({ length: this.#options.rounds[kind] }, () => ({ kind, place: this.#random.next() })),
    );
    for (const { kind } of kinds.sort((a, b) => a.place - b.place)) {
      this.#round = `${kind} ${this.#done[kind] + 1}`;
      await this.#runRound(kind);
      this.#done[kind]++;
      this.#options.onRound?.(this.#outcome());
    }
    return this.#outcome();
  }

  async end(): Promise<void> {
    const all = [...this.#members, ...(this.#standby ? [this.#standby] : [])];
    await Promise.all(all.map((member) => this.#remove(member)));
  }

  async #prepare(): Promise<void> {
    const { library, server } = this.#options;
    const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
    const kb = new KnowledgeBase({
      ...this.#knowledgeBase(server.clientPort),
      chunker: stampingChunker,
      parsers: [pagedParser],
    });
    await this.#ledger.prepare(kb, this.#random, BASE);
  }

  #knowledgeBase(port: number): KnowledgeBaseOptions {
    return {
      database: this.#options.server.urlAt(port),
      directory: this.#directory,
      masterKey: "11".repeat(32),
      sharedDirectory: true,
    };
  }

  async #runRound(kind: keyof FaultRounds): Promise<void> {
    while (this.#members.length < this.#options.processes) await this.#start();
    this.#orderWork();
    await after(this.#random.integer(0, 400));
    if (kind === "kill") await this.#kill();
    else if (kind === "stop")
      await this.#outlive(
        (member) => member.process.suspend(),
        (member) => member.process.resume(),
      );
    else if (kind === "cut")
      await this.#outlive(
        (member) => this.#cut(member),
        (member) => member.proxy.restore(),
      );
    else await this.#options.server.crash(this.#random.integer(0, 1000));
    await this.#rest(this.#members);
    if (kind === "restart") await this.#endLeases();
    await this.#drainByAnother();
    await this.#check();
  }

  #orderWork(): void {
    const { doomed, living } = this.#ledger.thinOut();
    const documents = living.flatMap((job) => job.documents);
    for (const [index, { process }] of this.#members.entries()) {
      const again = Array.from({ length: 2 }, () => this.#random.pick(living).id);
      process.send({ order: "watch", documents });
      process.send({ order: "work", creations: 4, again, doomed: index === 0 ? doomed : [], operations: [] });
    }
  }

  /** One process in most rounds, all of them in some. */
  async #kill(): Promise<void> {
    const random = this.#random;
    const count = random.next() < 0.2 ? this.#members.length : random.integer(1, this.#members.length - 1);
    const victims = this.#members.slice(-count);
    this.#members = this.#members.slice(0, -count);
    await Promise.all(victims.map((victim) => this.#remove(victim)));
  }

  /** Puts a process or two out of action until others have run their tasks, and checks before they go on, and after. */
  async #outlive(disturb: (member: Member) => void, recover: (member: Member) => void): Promise<void> {
    const victims = this.#members.slice(-this.#random.integer(1, 2));
    const others = this.#members.filter((member) => !victims.includes(member));
    for (const victim of victims) disturb(victim);
    await this.#rest(others);
    await this.#endLeases();
    await this.#drainByAnother();
    await this.#check();
    for (const victim of victims) recover(victim);
  }

  #cut({ proxy }: Member): void {
    if (this.#random.next() < 0.5) proxy.refuse();
    else proxy.silence();
  }

  async #rest(members: readonly Member[]): Promise<void> {
    await Promise.all(members.map(({ process }) => this.#patiently(process.ask({ order: "rest" }, "resting"))));
  }

  /** Ends all leases, except those of tasks that a transaction works on: the end of such a lease has to wait for it. */
  async #endLeases(): Promise<void> {
    await this.#options.server.query(
      `UPDATE tasks SET lease_until = 0 WHERE seq IN
         (SELECT seq FROM tasks WHERE state = 'running' FOR UPDATE SKIP LOCKED)`,
    );
  }

  /** A process takes the place of the oldest one; it finds expired leases and dead processes when it starts. */
  async #drainByAnother(): Promise<void> {
    const { process } = await this.#start();
    const hurrying = setInterval(() => void this.#hurry(), HURRY_MS);
    await this.#patiently(process.ask({ order: "drain" }, "drained")).finally(() => clearInterval(hurrying));
    const surplus = this.#members.slice(0, Math.max(0, this.#members.length - this.#options.processes - 2));
    this.#members = this.#members.slice(surplus.length);
    await Promise.all(surplus.map((member) => this.#remove(member)));
  }

  /** Makes tasks due that wait for seconds until they are tried again. */
  async #hurry(): Promise<void> {
    await this.#options.server.query(
      `UPDATE tasks SET run_at = 0, delay_ms = 0 WHERE seq IN
         (SELECT seq FROM tasks WHERE state = 'ready' AND delay_ms > 0 FOR UPDATE SKIP LOCKED)`,
    );
  }

  async #check(): Promise<void> {
    const { acknowledged, deleted } = this.#ledger;
    const found = await inspectPostgres(this.#options.server, new Set(acknowledged), new Set(deleted));
    this.#ledger.record(this.#round, found);
  }

  async #start(): Promise<Member> {
    const member = this.#standby ?? (await this.#spawn());
    this.#standby = await this.#spawn();
    member.process.name = `process of ${this.#round}`;
    member.process.send({ order: "start" });
    this.#members.push(member);
    return member;
  }

  async #spawn(): Promise<Member> {
    const { library, server } = this.#options;
    const proxy = await CutProxy.open(server.clientPort);
    const prefix = `p${this.#spawned++}`;
    const options = this.#knowledgeBase(proxy.port);
    const start = { library, options, prefix, seed: this.#random.integer(0, 1e9), isCut: true };
    const hear = (name: string, report: Report) => this.#ledger.hear(name, report);
    return { process: new CampaignProcess(start, hear), proxy };
  }

  async #remove({ process, proxy }: Member): Promise<void> {
    await process.kill();
    proxy.close();
  }

  /** @throws if a process doesn't answer for some minutes */
  async #patiently(answer: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => void this.#reportStuck().then(reject, reject), PATIENCE_MS);
    });
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  async #reportStuck(): Promise<Error> {
    const tasks = await this.#options.server.query("SELECT * FROM tasks");
    const seconds = PATIENCE_MS / 1000;
    return new Error(`${this.#round}: a process didn't answer for ${seconds} s. Tasks: ${JSON.stringify(tasks)}`);
  }

  #outcome(): PostgresFaultOutcome {
    const { created, deleted, searches, unreachable, checks, faults } = this.#ledger;
    const rounds = { ...this.#done };
    return { rounds, acknowledged: created, deleted: deleted.size, searches, unreachable, checks, faults };
  }
}
