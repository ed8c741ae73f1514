import { cpSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBase } from "lorebase";
import { seededRandom } from "./random.js";

export interface WalCutsOptions {
  /** How many times the log is cut: before, at and after the end of each of its last frames. */
  readonly cuts: number;
  readonly seed: number;
  /** The module to import the engine from. */
  readonly library: string;
}

export interface WalCutsOutcome {
  readonly cuts: number;
  /** Operations that were acknowledged while the log was written. */
  readonly operations: number;
  readonly faults: readonly string[];
}

/** The sizes of a log's header and of a frame's (sqlite.org/fileformat2.html#the_write_ahead_log). */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES = 4096;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
const CUTS_PER_FRAME = 3;
const DELETED_SHARE = 0.3;

/** The jobs that there were when the log had a size. */
interface Acknowledged {
  readonly walBytes: number;
  readonly jobs: readonly string[];
}

/**
 * Cuts the write-ahead log of a knowledge base, as a power failure may, and opens what is left: it must have exactly
 * the operations that were acknowledged before the log was longer, and nothing wrong.
 */
export async function cutWal({ cuts, seed, library }: WalCutsOptions): Promise<WalCutsOutcome> {
  const base = mkdtempSync(join(tmpdir(), "lorebase-wal-"));
  try {
    const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
    const open = (directory: string) => new KnowledgeBase({ directory, worker: false });
    const original = join(base, "original");
    const states = await writeLog(open, base, original, { cuts, seed });
    const faults: string[] = [];
    for (const bytes of cutsOf(walOf(original), cuts)) {
      const directory = join(base, "cut");
      cpSync(original, directory, { recursive: true });
      truncateSync(join(directory, "lorebase.db-wal"), bytes);
      const expected = states.findLast(({ walBytes }) => walBytes <= bytes)!;
      for (const fault of await faultsOf(open(directory), expected)) faults.push(`log of ${bytes} bytes: ${fault}`);
      rmSync(directory, { recursive: true });
    }
    return { cuts, operations: states.length - 1, faults };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Creates and deletes jobs, one after the other, until the log has enough frames, and copies the directory. */
async function writeLog(
  open: (directory: string) => KnowledgeBase,
  base: string,
  target: string,
  { cuts, seed }: Pick<WalCutsOptions, "cuts" | "seed">,
): Promise<readonly Acknowledged[]> {
  const random = seededRandom(seed);
  const directory = join(base, "writing");
  const first = open(directory);
  await first.namespaces.create({ name: "Cut", slug: "cut", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  // Empties the log.
  await first.close();
  const kb = open(directory);
  const { ingestJobs } = kb.namespace("cut");
  await ingestJobs.list();
  let jobs: readonly string[] = [];
  const states: Acknowledged[] = [{ walBytes: 0, jobs }];
  while (walOf(directory) < WAL_HEADER_BYTES + (cuts / CUTS_PER_FRAME) * FRAME_BYTES) {
    if (jobs.length > 0 && random.next() < DELETED_SHARE) {
      const doomed = random.pick(jobs);
      await ingestJobs.delete(doomed);
      jobs = jobs.filter((id) => id !== doomed);
    } else {
      const { id } = await ingestJobs.create({ payload: { type: "TEXT", text: `Pier ${random.integer(0, 1e9)}.` } });
      jobs = [...jobs, id];
    }
    states.push({ walBytes: walOf(directory), jobs });
  }
  cpSync(directory, target, { recursive: true, filter: (path) => !path.endsWith("-shm") });
  await kb.close();
  return states;
}

function walOf(directory: string): number {
  return statSync(join(directory, "lorebase.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
}

function cutsOf(walBytes: number, cuts: number): readonly number[] {
  const frames = Math.floor((walBytes - WAL_HEADER_BYTES) / FRAME_BYTES);
  const first = frames + 1 - Math.ceil(cuts / CUTS_PER_FRAME);
  return Array.from({ length: cuts }, (_, cut) => {
    const end = WAL_HEADER_BYTES + (first + Math.floor(cut / CUTS_PER_FRAME)) * FRAME_BYTES;
    return Math.min(walBytes, end + (cut % CUTS_PER_FRAME) - 1);
  });
}

async function faultsOf(kb: KnowledgeBase, { jobs }: Acknowledged): Promise<readonly string[]> {
  const faults: string[] = [];
  try {
    const found: string[] = [];
    for await (const { id, status } of kb.ingestJobs.iterate("cut")) if (status !== "QUEUED_FOR_DELETE") found.push(id);
    const [missing, surplus] = [jobs.filter((id) => !found.includes(id)), found.filter((id) => !jobs.includes(id))];
    if (missing.length > 0) faults.push(`lost: ${missing}`);
    if (surplus.length > 0) faults.push(`undead: ${surplus}`);
    for await (const event of kb.check())
      if (event.type === "finding") faults.push(`corrupt: ${event.finding.message}`);
  } catch (error) {
    faults.push(`thrown: ${error}`);
  } finally {
    await kb.close();
  }
  return faults;
}
