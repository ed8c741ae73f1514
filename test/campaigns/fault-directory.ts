import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { after } from "./after.js";
import { CampaignProcess } from "./child-process.js";
import { type ChosenFailpoint, type FailpointLog, Failpoints, type RoundKind } from "./failpoints.js";
import { JobLedger } from "./job-ledger.js";
import type { Operation, Report } from "./messages.js";
import { makeOlderDirectory, OLDER_VERSIONS } from "./older-database.js";
import { pagedParser, stampingChunker } from "./pieces.js";
import type { Random } from "./random.js";
import { inspectDirectory } from "./sqlite-oracle.js";
import { compareWebhooks } from "./webhook-comparison.js";
import { CampaignReceiver } from "./webhook-receiver.js";

/** With these jobs, the scope is large enough for a keyword table of its own. */
const BASE = { jobs: 6, documents: 5, pieces: 40 };
const DAY_MS = 24 * 3_600_000;
/** A process that has passed no armed failpoint by then is killed where it is. */
const PATIENCE_MS = 30_000;
/** A process writes its reserve a second after its start. */
const RESERVE_MS = 1200;
/** A process that has not done by then what it was told never will. */
const MAX_WAIT_MS = 300_000;
const HURRY_MS = 250;

/** What is to happen in a round. */
export interface RoundPlan {
  readonly kind: RoundKind;
  /** Where the process is killed; at a random moment if `null`. */
  readonly failpoint: ChosenFailpoint | null;
}

interface Member {
  readonly process: CampaignProcess;
  readonly failpoints: Failpoints;
  /** The failpoints that it had passed when it had finished what others left. */
  opened: ReadonlyMap<string, number> | null;
}

interface DirectoryOptions {
  /** The module that processes import the engine from. */
  readonly library: string;
  /** The file of `compilePreload`. */
  readonly preload: string;
  /** An empty folder. */
  readonly folder: string;
  readonly random: Random;
  readonly failpoints: FailpointLog;
}

/**
 * A directory of a campaign: a process that is killed in each round and another that goes on work on it at once, with
 * a worker each, and send to a receiver. After each kill another process finishes what was left, and everything is
 * compared with what was acknowledged.
 */
export class FaultDirectory {
  readonly #options: DirectoryOptions;
  readonly #random: Random;
  readonly #directory: string;
  readonly ledger = new JobLedger();
  readonly receiver: CampaignReceiver;
  deliveries = 0;
  readonly #created = new Set<string>();
  #webhookId = "";
  #companion: Member | null = null;
  #victim: Member | null = null;
  /** A process that has loaded the engine and not opened it: loading takes longer than everything else in a round. */
  #standby: Member | null = null;
  #round = "";
  #spawned = 0;
  #aheadMs = 0;
  /** Whether derived data was damaged and not yet repaired. */
  #isDamaged = false;
  /** The jobs that a finished backup must have; `null` if there is no backup. */
  #backup: ReadonlySet<string> | null = null;
  /** The jobs that the backup in this round would have. */
  #backingUp: ReadonlySet<string> = new Set();
  /** The jobs that what is being restored must have. */
  #restoring: ReadonlySet<string> = new Set();
  #olderVersion = 0;
  /** Whether the clock jumps. Then leases end early, and two processes may send the same to the receiver at once. */
  readonly #isClockJumping: boolean;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.#random = options.random;
    this.#directory = this.#path("kb");
    this.receiver = new CampaignReceiver(options.random);
    this.#isClockJumping = options.random.next() < 0.5;
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }

  async #openKnowledgeBase() {
    const { KnowledgeBase } = (await import(this.#options.library)) as typeof import("lorebase");
    return new KnowledgeBase({
      directory: this.#directory,
      // Otherwise a drain would not wait for deliveries.
      worker: false,
      chunker: stampingChunker,
      parsers: [pagedParser],
      network: { allowPrivateHosts: ["127.0.0.1"] },
      clock: () => new Date(Date.now() + this.#aheadMs),
    });
  }

  async prepare(): Promise<void> {
    const url = await this.receiver.start();
    const kb = await this.#openKnowledgeBase();
    const { id, secret } = await kb.webhooks.create({ url });
    this.#webhookId = id;
    this.receiver.secret = secret;
    await this.ledger.prepare(kb, this.#random, BASE);
    for (const job of this.ledger.acknowledged) this.#created.add(job);
    this.#olderVersion = this.#random.integer(OLDER_VERSIONS.first, OLDER_VERSIONS.last);
    makeOlderDirectory(this.#directory, this.#path("older"), this.#olderVersion);
  }

  /** Kills a process, after others have finished what earlier ones left. Returns false if it ended by itself. */
  async round(name: string, plan: RoundPlan): Promise<boolean> {
    this.#round = name;
    if (plan.kind === "upgrade") return this.#upgrade(plan);
    if (this.#isClockJumping && this.#random.next() < 0.2)
      this.#aheadMs = this.#random.integer(-3 * DAY_MS, 3 * DAY_MS);
    this.#companion?.process.send({ order: "clock", aheadMs: this.#aheadMs });
    this.#companion ??= this.#start("companion");
    // A restore needs a backup.
    const kind = plan.kind === "restore" && this.#backup === null ? "backup" : plan.kind;
    const victim = kind === "open" ? await this.#open(plan) : await this.#work({ ...plan, kind });
    const both = this.#random.next() < 0.4;
    const [wasKilled] = await Promise.all([victim.process.kill(), both ? this.#companion.process.kill() : null]);
    this.#victim = null;
    this.#note(victim, kind);
    if (both) this.#companion = null;
    else await this.#answered(this.#companion.process.ask({ order: "rest" }, "resting"));
    return wasKilled;
  }

  /** Starts a process and waits until it has come to its failpoint, or for a moment. */
  async #open({ failpoint }: RoundPlan): Promise<Member> {
    if (failpoint?.name.includes("disk-reserve")) rmSync(join(this.#directory, "reserve"), { force: true });
    const victim = this.#start("victim", failpoint);
    const { process } = victim;
    const checked = process.heardOrEnded("checked");
    process.send({ order: "drain" });
    process.send({ order: "check", repair: this.#isDamaged });
    if (!failpoint) await after(this.#random.integer(0, 300));
    else if (await this.#until(checked)) await Promise.race([process.closed, after(RESERVE_MS)]);
    return victim;
  }

  /** Has a process work until it has come to its failpoint, or for a moment. */
  async #work({ kind, failpoint }: RoundPlan): Promise<Member> {
    const random = this.#random;
    const victim = await this.#restart();
    if (kind === "repair") this.#damage();
    if (failpoint) victim.failpoints.arm(failpoint.name, failpoint.passes);
    this.#order(victim.process, kind);
    if (random.next() < 0.3) await after(random.integer(0, 100)).then(() => this.#checkpoint());
    if (this.#isClockJumping && random.next() < 0.2) this.#moveClock(victim);
    if (!failpoint) {
      await after(random.integer(0, 800));
      return victim;
    }
    const finished = victim.process.heardOrEnded("finished");
    victim.process.send({ order: "finish" });
    if (!(await this.#until(finished))) return victim;
    victim.process.send({ order: "close" });
    await this.#until(victim.process.closed);
    return victim;
  }

  /** Starts a process that finishes what the last one left, and checks. */
  async #restart(): Promise<Member> {
    const victim = this.#start("victim");
    const hurrying = setInterval(() => this.#hurry(), HURRY_MS);
    await this.#answered(victim.process.ask({ order: "drain" }, "drained")).finally(() => clearInterval(hurrying));
    await this.#check(victim);
    victim.opened = victim.failpoints.passes();
    return victim;
  }

  async #check({ process }: Member): Promise<void> {
    await this.#answered(process.ask({ order: "check", repair: this.#isDamaged }, "checked"));
    this.#isDamaged = false;
    const { acknowledged, deleted } = this.ledger;
    this.ledger.record(this.#round, inspectDirectory(this.#directory, acknowledged, deleted));
  }

  #order(victim: CampaignProcess, kind: RoundKind): void {
    const random = this.#random;
    const { doomed, living } = this.ledger.thinOut();
    const companion = this.#companion!.process;
    // What is being repaired can't be searched.
    const watched = kind === "repair" ? [] : living.flatMap(({ documents }) => documents);
    companion.send({ order: "watch", documents: watched });
    const again = () => Array.from({ length: 2 }, () => random.pick(living).id);
    const operations = this.#operations(kind);
    victim.send({ order: "work", creations: 4, again: again(), doomed, operations });
    companion.send({ order: "work", creations: 3, again: again(), doomed: [], operations: [] });
  }

  #operations(kind: RoundKind): readonly Operation[] {
    const backup = { operation: "backup", target: this.#path("backup") } as const;
    this.#backingUp = new Set(this.ledger.acknowledged);
    if (kind === "backup") return [backup];
    if (kind === "restore") {
      const target = this.#path("restored");
      // What an earlier process has restored is from an earlier backup.
      if (!existsSync(join(target, "lorebase.db"))) this.#restoring = this.#backup!;
      return [{ operation: "restore", backup: backup.target, target }];
    }
    if (kind === "copy")
      return [{ operation: "copy", bundle: this.#path("bundle"), slug: `copy-${this.#random.integer(0, 1e9)}` }];
    if (kind === "compact") return [{ operation: "compact", rewrite: this.#random.next() < 0.3 }];
    return kind === "repair" ? [{ operation: "repair" }] : [];
  }

  #moveClock({ process }: Member): void {
    this.#aheadMs += this.#random.integer(-DAY_MS, DAY_MS);
    for (const each of [process, this.#companion!.process]) each.send({ order: "clock", aheadMs: this.#aheadMs });
  }

  /** Waits, but not for ever. */
  #until<Value>(waited: Promise<Value>): Promise<Value | undefined> {
    return Promise.race([waited, after(PATIENCE_MS).then(() => undefined)]);
  }

  /** @throws if a process hangs */
  async #answered(answer: Promise<void>): Promise<void> {
    // The timer doesn't keep the campaign running when it has ended.
    const isLate = await Promise.race([answer.then(() => false), setTimeout(MAX_WAIT_MS, true, { ref: false })]);
    if (!isLate) return;
    const tasks = this.#inDatabase((db) => db.prepare("SELECT * FROM tasks").all());
    throw new Error(`${this.#round}: a process hangs. Tasks: ${JSON.stringify(tasks)}`);
  }

  /** Damages what a repair can build again. */
  #damage(): void {
    this.#isDamaged = true;
    this.#companion!.process.send({ order: "watch", documents: [] });
    this.#inDatabase((db) => {
      db.exec("UPDATE scopes SET chunks = chunks + 1; DELETE FROM chunk_metadata WHERE chunk_seq % 7 = 0");
      const scopes = db.prepare("SELECT id FROM scopes WHERE keyword_table = 1").pluck().all() as number[];
      // A row too many: others write to the table before it is repaired, which needs it to be sound.
      for (const id of scopes) db.exec(`INSERT INTO keywords_${id} (rowid, text) VALUES (1000000, 'surplus')`);
    });
  }

  #checkpoint(): void {
    this.#inDatabase((db) => db.pragma("wal_checkpoint(TRUNCATE)"));
  }

  /** Makes tasks due that wait, such as the removal of an import that was killed. */
  #hurry(): void {
    this.#inDatabase((db) =>
      db.exec(
        "UPDATE tasks SET run_at = 0, delay_ms = 0 WHERE state = 'ready' AND delay_ms > 0 AND kind <> 'deliver_webhooks'",
      ),
    );
  }

  #inDatabase<Result>(use: (db: BetterSqlite3.Database) => Result): Result {
    const db = new BetterSqlite3(join(this.#directory, "lorebase.db"));
    try {
      return use(db);
    } finally {
      db.close();
    }
  }

  /** Kills a process that opens a copy of the older directory, opens it again, and compares. */
  async #upgrade({ failpoint }: RoundPlan): Promise<boolean> {
    const directory = this.#path("upgraded");
    cpSync(this.#path("older"), directory, { recursive: true });
    const victim = this.#upgrading(directory, failpoint);
    if (failpoint) await this.#until(victim.process.closed);
    else await after(this.#random.integer(0, 800));
    const wasKilled = await victim.process.kill();
    this.#note(victim, "upgrade");
    const other = this.#upgrading(directory, null);
    await this.#until(other.process.closed);
    await other.process.kill();
    this.#note(other, "upgrade");
    const from = `${this.#round}, upgraded from version ${this.#olderVersion}`;
    for (const fault of inspectDirectory(directory, new Set(this.ledger.base), new Set()).faults)
      this.ledger.faults.push(`${from}: ${fault}`);
    if (other.process.said !== "") this.ledger.faults.push(`${from}: ${other.process.said}`);
    rmSync(directory, { recursive: true });
    return wasKilled;
  }

  #upgrading(directory: string, failpoint: RoundPlan["failpoint"]): Member {
    const member = this.#spawn(directory);
    member.process.name = `upgrade in ${this.#round}`;
    if (failpoint) member.failpoints.arm(failpoint.name, failpoint.passes);
    for (const order of ["start", "drain"] as const) member.process.send({ order });
    member.process.send({ order: "check", repair: false });
    member.process.send({ order: "close" });
    return member;
  }

  #start(role: "victim" | "companion", failpoint: RoundPlan["failpoint"] = null): Member {
    const member = this.#standby ?? this.#spawn(this.#directory);
    this.#standby = this.#spawn(this.#directory);
    member.process.name = `${role} of ${this.#round}`;
    if (failpoint) member.failpoints.arm(failpoint.name, failpoint.passes);
    member.process.send({ order: "clock", aheadMs: this.#aheadMs });
    member.process.send({ order: "start" });
    if (role === "victim") this.#victim = member;
    return member;
  }

  #spawn(directory: string): Member {
    const { library, preload } = this.#options;
    const prefix = `p${this.#spawned++}`;
    mkdirSync(this.#path("failpoints"), { recursive: true });
    const failpoints = new Failpoints(join(this.#path("failpoints"), prefix), preload);
    const options = { directory };
    const start = { library, options, prefix, seed: this.#random.integer(0, 1e9), failpoints };
    return {
      process: new CampaignProcess(start, (name, report) => this.#hear(name, report)),
      failpoints,
      opened: null,
    };
  }

  #hear(name: string, report: Report): void {
    this.ledger.hear(name, report);
    if (report.report === "created") this.#created.add(report.job);
    if (report.report !== "done") return;
    if (report.operation === "backup") this.#backup = this.#backingUp;
    if (report.operation === "restore") this.#inspectRestored();
  }

  #inspectRestored(): void {
    const directory = this.#path("restored");
    // What was deleted since may be in the backup or not: a backup that was killed may have been complete.
    const expected = new Set([...this.#restoring].filter((id) => this.ledger.acknowledged.has(id)));
    for (const fault of inspectDirectory(directory, expected, new Set()).faults)
      this.ledger.faults.push(`${this.#round}, restored: ${fault}`);
    rmSync(directory, { recursive: true });
  }

  #note({ failpoints, opened }: Member, kind: RoundKind): void {
    const { failpoints: log } = this.#options;
    const passes = failpoints.passes();
    if (opened) log.note(opened, "open");
    const later = [...passes].map(([name, count]) => [name, count - (opened?.get(name) ?? 0)] as const);
    log.note(new Map(later.filter(([, count]) => count > 0)), kind);
    const killedAt = failpoints.killedAt();
    if (killedAt !== null) log.noteKill(killedAt);
  }

  /** Finishes what is left, and compares everything with what was acknowledged. */
  async finish(): Promise<void> {
    this.#round += ", the last";
    const { process } = await this.#restart();
    await Promise.all([process.kill(), this.#companion?.process.kill()]);
    const kb = await this.#openKnowledgeBase();
    try {
      const { deliveries, faults } = await compareWebhooks({
        ...{ kb, webhookId: this.#webhookId, receiver: this.receiver },
        ...{ created: this.#created, deleted: this.ledger.deleted },
        advance: (ms) => {
          this.#aheadMs += ms;
        },
      });
      this.deliveries = deliveries;
      const counted = faults.filter((fault) => !this.#isClockJumping || !fault.startsWith("concurrent: "));
      this.ledger.faults.push(...counted.map((fault) => `${this.#round}: ${fault}`));
    } finally {
      await kb.close();
    }
  }

  async end(): Promise<void> {
    const members = [this.#victim, this.#companion, this.#standby];
    await Promise.all(members.map((member) => member?.process.kill()));
    await this.receiver.stop();
  }
}
