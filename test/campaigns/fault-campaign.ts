import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePreload, FailpointLog, type RoundKind } from "./failpoints.js";
import { FaultDirectory, type RoundPlan } from "./fault-directory.js";
import { type Random, seededRandom } from "./random.js";

export interface FaultCampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onRound?(round: number, outcome: FaultOutcome): void;
}

export interface FaultOutcome {
  readonly acknowledged: number;
  readonly deleted: number;
  readonly searches: number;
  readonly checks: number;
  readonly deliveries: number;
  /** How many processes each failpoint has killed; the others were killed at random moments. */
  readonly kills: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

/** After so many rounds another directory is begun, since checks take longer with every event and delivery. */
const ROUNDS_PER_DIRECTORY = 50;
/** The share of rounds in which a process is killed at a failpoint, not at a random moment. */
const FAILPOINT_SHARE = 0.75;
const KINDS: readonly RoundKind[] = [
  "open",
  "work",
  "work",
  "work",
  "backup",
  "restore",
  "copy",
  "repair",
  "compact",
  "upgrade",
];

/**
 * Kills processes with SIGKILL, at failpoints and at random moments, while they create, ingest again, delete, back up,
 * restore, export, import, repair, compact, upgrade and send to a webhook, with a second process on the same directory,
 * forced checkpoints and a clock that jumps. Inspects what is left after each restart.
 */
export async function faultCampaign(options: FaultCampaignOptions): Promise<FaultOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "lorebase-faults-"));
  try {
    return await run(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(options: FaultCampaignOptions, folder: string): Promise<FaultOutcome> {
  const random = seededRandom(options.seed);
  const failpoints = new FailpointLog();
  const preload = compilePreload(folder);
  const ended: FaultDirectory[] = [];
  const outcome = (directories: readonly FaultDirectory[]): FaultOutcome => ({
    acknowledged: sum(directories, ({ ledger }) => ledger.created + ledger.base.length),
    deleted: sum(directories, ({ ledger }) => ledger.deleted.size),
    searches: sum(directories, ({ ledger }) => ledger.searches),
    checks: sum(directories, ({ ledger }) => ledger.checks),
    deliveries: sum(directories, ({ deliveries }) => deliveries),
    kills: failpoints.kills,
    faults: directories.flatMap(({ ledger }) => ledger.faults),
  });
  for (let round = 0; round < options.rounds; ) {
    const place = join(folder, `directory${ended.length}`);
    mkdirSync(place);
    const directory = new FaultDirectory({ ...options, preload, folder: place, random, failpoints });
    try {
      await directory.prepare();
      for (const last = Math.min(options.rounds, round + ROUNDS_PER_DIRECTORY); round < last; ) {
        // A process that never came to its failpoint ended by itself.
        if (!(await directory.round(`round ${round + 1}`, planRound(random, failpoints)))) continue;
        round++;
        options.onRound?.(round, outcome([...ended, directory]));
      }
      await directory.finish();
    } finally {
      await directory.end();
      await rm(place, { recursive: true, force: true });
    }
    ended.push(directory);
  }
  return outcome(ended);
}

function planRound(random: Random, failpoints: FailpointLog): RoundPlan {
  const failpoint = random.next() < FAILPOINT_SHARE ? failpoints.choose(random) : null;
  return { kind: failpoint?.kind ?? random.pick(KINDS), failpoint };
}

function sum(directories: readonly FaultDirectory[], count: (directory: FaultDirectory) => number): number {
  return directories.reduce((total, directory) => total + count(directory), 0);
}
