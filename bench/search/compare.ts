import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../load.js";
import type { Candidate } from "./candidates.js";
import { evictFromPageCache, loadIntoPageCache, sizeOf } from "./files.js";
import type { Results } from "./protocol.js";
import type { Setup } from "./system.js";
import { SystemProcess } from "./system-process.js";
import type { Query, Workload } from "./workload.js";

/** Queries of one kind, and their measure of recall. */
export interface QuerySet {
  readonly name: string;
  readonly queries: readonly Query[];
  /** The fraction of the right answers that were found, 0 to 1, if only the first `rows` are stored. */
  readonly recall: (found: Results["search"]["found"], rows: number) => number;
}

export interface Round {
  readonly workload: Workload;
  readonly sets: readonly QuerySet[];
  readonly candidates: readonly Candidate[];
  /** An empty directory on disk. */
  readonly directory: string;
  readonly log: (line: string) => void;
}

/** The searches of one kind in one system, with times as the caller sees them. */
interface Searches {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Processor time of a search, over all threads. */
  readonly cpuMs: number;
  readonly recall: number;
  /** p50 divided by that of Lorebase in the same run; `null` with other numbers of rows. */
  readonly timesLorebase: number | null;
}

export interface Figures {
  readonly name: string;
  readonly label: string;
  /** Fewer than the others have if it cannot store more. */
  readonly rows: number;
  /** `null` if it opens the directory of another system. */
  readonly fill: { readonly insertsPerSecond: number; readonly cpuSeconds: number; readonly peakMb: number } | null;
  readonly bytesPerRow: number;
  /** Medians of the first search of a new process, with and without files in the page cache. */
  readonly first: { readonly cached: Results["open"]; readonly fromDisk: Results["open"] | null };
  readonly searches: Readonly<Record<string, Searches>>;
  readonly memoryMb: Results["close"];
}

const BURST_QUERIES = 5;
const FIRST_ROUNDS = 3;

/**
 * Fills each system in its own process, opens it in new ones, and then searches in turns of five queries each, so that
 * other load on the machine affects all systems.
 */
export async function compare(round: Round): Promise<readonly Figures[]> {
  const { workload, candidates, log } = round;
  const capable = candidates.filter(({ maxRows }) => maxRows[workload.kind] > 0);
  const setups = new Map(capable.map((candidate) => [candidate, setupOf(round, candidate)]));
  const fills = new Map<Candidate, Figures["fill"]>();
  for (const [candidate, setup] of setups) {
    const { name, directoryOf } = candidate;
    if (directoryOf !== name && capable.some((other) => other.name === directoryOf)) continue;
    mkdirSync(setup.directory, { recursive: true });
    fills.set(candidate, await fill(candidate, setup));
    log(
      `${candidate.label}: ${setup.workload.rows} rows, ${fills.get(candidate)!.insertsPerSecond.toFixed(0)} a second`,
    );
  }
  const firsts = await firstSearches(setups, round);
  const measured = await searchInTurns(setups, round);
  return withRatios(
    [...setups].map(([candidate, setup]) => ({
      name: candidate.name,
      label: candidate.label,
      rows: setup.workload.rows,
      fill: fills.get(candidate) ?? null,
      bytesPerRow: sizeOf(setup.directory) / setup.workload.rows,
      first: firsts.get(candidate)!,
      ...measured.get(candidate)!,
    })),
  );
}

function setupOf({ workload, directory }: Round, { directoryOf, maxRows, settings }: Candidate): Setup {
  const rows = Math.min(workload.rows, maxRows[workload.kind]);
  return { directory: join(directory, directoryOf), workload: { ...workload, rows }, settings };
}

async function fill(candidate: Candidate, setup: Setup): Promise<Figures["fill"] & object> {
  const running = await SystemProcess.start(candidate);
  try {
    const { seconds, cpuSeconds, peakMb } = await running.send({ do: "fill", setup });
    await running.send({ do: "close" });
    return { insertsPerSecond: setup.workload.rows / seconds, cpuSeconds, peakMb };
  } finally {
    await running.end();
  }
}

async function firstSearches(setups: ReadonlyMap<Candidate, Setup>, { sets, log }: Round) {
  const cached = new Map<Candidate, Results["open"][]>([...setups.keys()].map((candidate) => [candidate, []]));
  const fromDisk = new Map<Candidate, Results["open"][]>([...setups.keys()].map((candidate) => [candidate, []]));
  for (let round = 0; round < FIRST_ROUNDS; round++) {
    const first = sets[0]!.queries[round]!;
    for (const [candidate, setup] of setups) {
      if (evictFromPageCache(setup.directory)) fromDisk.get(candidate)!.push(await openOnce(candidate, setup, first));
      cached.get(candidate)!.push(await openOnce(candidate, setup, first));
    }
  }
  return new Map(
    [...setups.keys()].map((candidate) => {
      const disk = fromDisk.get(candidate)!;
      const first = { cached: median(cached.get(candidate)!), fromDisk: disk.length > 0 ? median(disk) : null };
      const { openMs, firstMs } = first.cached;
      log(`${candidate.label}: opened in ${openMs.toFixed(0)} ms, and the first search took ${firstMs.toFixed(1)} ms`);
      return [candidate, first];
    }),
  );
}

async function openOnce(candidate: Candidate, setup: Setup, first: Query): Promise<Results["open"]> {
  const running = await SystemProcess.start(candidate);
  try {
    const answer = await running.send({ do: "open", setup, first });
    await running.send({ do: "close" });
    return answer;
  } finally {
    await running.end();
  }
}

/** The median by total time. */
function median(opened: readonly Results["open"][]): Results["open"] {
  const sorted = opened.toSorted((a, b) => a.openMs + a.firstMs - b.openMs - b.firstMs);
  return sorted[Math.floor(sorted.length / 2)]!;
}

async function searchInTurns(setups: ReadonlyMap<Candidate, Setup>, { sets, log }: Round) {
  const running = new Map<Candidate, SystemProcess>();
  const searches = new Map<Candidate, Record<string, Searches>>();
  try {
    for (const [candidate, setup] of setups) {
      const one = await SystemProcess.start(candidate);
      running.set(candidate, one);
      searches.set(candidate, {});
      await one.send({ do: "open", setup, first: sets[0]!.queries[0]! });
    }
    for (const { name, queries, recall } of sets) {
      const answers = new Map([...setups.keys()].map((candidate) => [candidate, [] as Results["search"][]]));
      // Fills the page cache again, which a scan would have done by now, but an index would not.
      for (const directory of new Set([...setups.values()].map((setup) => setup.directory)))
        await loadIntoPageCache(directory);
      for (const one of running.values()) await one.send({ do: "search", queries: queries.slice(0, BURST_QUERIES) });
      for (let first = 0; first < queries.length; first += BURST_QUERIES) {
        const burst = queries.slice(first, first + BURST_QUERIES);
        // Alternates the direction, so that the effect of one system on caches does not always hit the same one.
        const turns = [...running];
        for (const [candidate, one] of (first / BURST_QUERIES) % 2 === 0 ? turns : turns.reverse()) {
          answers.get(candidate)!.push(await one.send({ do: "search", queries: burst }));
        }
      }
      for (const [candidate, { workload }] of setups) {
        const figures = searchesOf(answers.get(candidate)!, (found) => recall(found, workload.rows));
        searches.get(candidate)![name] = figures;
        log(`${candidate.label}, ${name}: p50 ${figures.p50Ms.toFixed(2)} ms, recall ${figures.recall.toFixed(3)}`);
      }
    }
    const memory = new Map<Candidate, Results["close"]>();
    for (const [candidate, one] of running) memory.set(candidate, await one.send({ do: "close" }));
    return new Map(
      [...setups.keys()].map((candidate) => {
        return [candidate, { searches: searches.get(candidate)!, memoryMb: memory.get(candidate)! }];
      }),
    );
  } finally {
    for (const one of running.values()) await one.end();
  }
}

function searchesOf(
  bursts: readonly Results["search"][],
  recall: (found: Results["search"]["found"]) => number,
): Searches {
  const times = bursts.flatMap(({ timesMs }) => timesMs).sort((a, b) => a - b);
  return {
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    p99Ms: quantile(times, 0.99),
    cpuMs: bursts.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times.length,
    recall: recall(bursts.flatMap(({ found }) => found)),
    timesLorebase: null,
  };
}

function withRatios(figures: readonly Figures[]): readonly Figures[] {
  const ours = figures.find(({ name }) => name === "lorebase");
  return figures.map((one) => ({
    ...one,
    searches: Object.fromEntries(
      Object.entries(one.searches).map(([set, searches]) => {
        const timesLorebase = ours?.rows === one.rows ? searches.p50Ms / ours.searches[set]!.p50Ms : null;
        return [set, { ...searches, timesLorebase }];
      }),
    ),
  }));
}
