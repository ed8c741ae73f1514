import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../load.js";
import type { Contestant } from "./contestants.js";
import { bringIntoCache, dropFromCache, sizeOf } from "./folder.js";
import type { Answers } from "./orders.js";
import { Running } from "./running.js";
import type { Place } from "./system.js";
import type { Query, Workload } from "./workload.js";

/** Queries of one kind, and what their answers are measured by. */
export interface QuerySet {
  readonly name: string;
  readonly queries: readonly Query[];
  /** The share of the right answers among what was found in the first so many rows, 0 to 1. */
  readonly recall: (found: Answers["search"]["found"], rows: number) => number;
}

export interface Round {
  readonly workload: Workload;
  readonly sets: readonly QuerySet[];
  readonly contestants: readonly Contestant[];
  /** An empty folder on a disk. */
  readonly directory: string;
  readonly log: (line: string) => void;
}

/** Searches of one kind in one system; times of a call as its caller waits for it. */
interface Searches {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Processor time of a search, all threads together. */
  readonly cpuMs: number;
  readonly recall: number;
  /** How many times Lorebase's p50 of the same run, over as many rows as that one has. */
  readonly timesLorebase: number | null;
}

export interface Figures {
  readonly name: string;
  readonly label: string;
  /** Fewer than the others have, where it can't do more. */
  readonly rows: number;
  /** Null where it opens what another one filled. */
  readonly fill: { readonly insertsPerSecond: number; readonly cpuSeconds: number; readonly peakMb: number } | null;
  readonly bytesPerRow: number;
  /** Medians of the first search of a new process, files in the page cache and not. */
  readonly first: { readonly cached: Answers["open"]; readonly fromDisk: Answers["open"] | null };
  readonly searches: Readonly<Record<string, Searches>>;
  readonly memoryMb: Answers["close"];
}

const BURST = 5;
const FIRST_ROUNDS = 3;

/**
 * Fills each system in a process of its own, opens it in new ones, and then asks all of them in turns of five queries, so that
 * whatever else the machine does meets all of them.
 */
export async function compare(round: Round): Promise<readonly Figures[]> {
  const { workload, contestants, log } = round;
  const able = contestants.filter(({ mostRows }) => mostRows[workload.kind] > 0);
  const places = new Map(able.map((contestant) => [contestant, placeOf(round, contestant)]));
  const fills = new Map<Contestant, Figures["fill"]>();
  for (const [contestant, place] of places) {
    const { name, directoryOf } = contestant;
    if (directoryOf !== name && able.some((other) => other.name === directoryOf)) continue;
    mkdirSync(place.directory, { recursive: true });
    fills.set(contestant, await fill(contestant, place));
    log(
      `${contestant.label}: ${place.workload.rows} rows, ${fills.get(contestant)!.insertsPerSecond.toFixed(0)} a second`,
    );
  }
  const firsts = await firstSearches(places, round);
  const measured = await searchInTurns(places, round);
  return withRatios(
    [...places].map(([contestant, place]) => ({
      name: contestant.name,
      label: contestant.label,
      rows: place.workload.rows,
      fill: fills.get(contestant) ?? null,
      bytesPerRow: sizeOf(place.directory) / place.workload.rows,
      first: firsts.get(contestant)!,
      ...measured.get(contestant)!,
    })),
  );
}

function placeOf({ workload, directory }: Round, { directoryOf, mostRows, settings }: Contestant): Place {
  const rows = Math.min(workload.rows, mostRows[workload.kind]);
  return { directory: join(directory, directoryOf), workload: { ...workload, rows }, settings };
}

async function fill(contestant: Contestant, place: Place): Promise<Figures["fill"] & object> {
  const running = await Running.start(contestant);
  try {
    const { seconds, cpuSeconds, peakMb } = await running.tell({ do: "fill", place });
    await running.tell({ do: "close" });
    return { insertsPerSecond: place.workload.rows / seconds, cpuSeconds, peakMb };
  } finally {
    await running.end();
  }
}

async function firstSearches(places: ReadonlyMap<Contestant, Place>, { sets, log }: Round) {
  const cached = new Map<Contestant, Answers["open"][]>([...places.keys()].map((contestant) => [contestant, []]));
  const fromDisk = new Map<Contestant, Answers["open"][]>([...places.keys()].map((contestant) => [contestant, []]));
  for (let round = 0; round < FIRST_ROUNDS; round++) {
    const first = sets[0]!.queries[round]!;
    for (const [contestant, place] of places) {
      if (dropFromCache(place.directory)) fromDisk.get(contestant)!.push(await openOnce(contestant, place, first));
      cached.get(contestant)!.push(await openOnce(contestant, place, first));
    }
  }
  return new Map(
    [...places.keys()].map((contestant) => {
      const disk = fromDisk.get(contestant)!;
      const first = { cached: middle(cached.get(contestant)!), fromDisk: disk.length > 0 ? middle(disk) : null };
      const { openMs, firstMs } = first.cached;
      log(`${contestant.label}: opened in ${openMs.toFixed(0)} ms, and the first search took ${firstMs.toFixed(1)} ms`);
      return [contestant, first];
    }),
  );
}

async function openOnce(contestant: Contestant, place: Place, first: Query): Promise<Answers["open"]> {
  const running = await Running.start(contestant);
  try {
    const answer = await running.tell({ do: "open", place, first });
    await running.tell({ do: "close" });
    return answer;
  } finally {
    await running.end();
  }
}

/** The one in the middle by how long it took together. */
function middle(opened: readonly Answers["open"][]): Answers["open"] {
  const sorted = opened.toSorted((a, b) => a.openMs + a.firstMs - b.openMs - b.firstMs);
  return sorted[Math.floor(sorted.length / 2)]!;
}

async function searchInTurns(places: ReadonlyMap<Contestant, Place>, { sets, log }: Round) {
  const running = new Map<Contestant, Running>();
  const searches = new Map<Contestant, Record<string, Searches>>();
  try {
    for (const [contestant, place] of places) {
      const one = await Running.start(contestant);
      running.set(contestant, one);
      searches.set(contestant, {});
      await one.tell({ do: "open", place, first: sets[0]!.queries[0]! });
    }
    for (const { name, queries, recall } of sets) {
      const answers = new Map([...places.keys()].map((contestant) => [contestant, [] as Answers["search"][]]));
      // What was dropped for the first searches is back as it would be after many: a scan has read all by then, an index has not.
      for (const directory of new Set([...places.values()].map((place) => place.directory)))
        await bringIntoCache(directory);
      for (const one of running.values()) await one.tell({ do: "search", queries: queries.slice(0, BURST) });
      for (let first = 0; first < queries.length; first += BURST) {
        const burst = queries.slice(first, first + BURST);
        // To and fro: what one has done to the caches is not always the same one's to bear.
        const turns = [...running];
        for (const [contestant, one] of (first / BURST) % 2 === 0 ? turns : turns.reverse()) {
          answers.get(contestant)!.push(await one.tell({ do: "search", queries: burst }));
        }
      }
      for (const [contestant, { workload }] of places) {
        const figures = searchesOf(answers.get(contestant)!, (found) => recall(found, workload.rows));
        searches.get(contestant)![name] = figures;
        log(`${contestant.label}, ${name}: p50 ${figures.p50Ms.toFixed(2)} ms, recall ${figures.recall.toFixed(3)}`);
      }
    }
    const memory = new Map<Contestant, Answers["close"]>();
    for (const [contestant, one] of running) memory.set(contestant, await one.tell({ do: "close" }));
    return new Map(
      [...places.keys()].map((contestant) => {
        return [contestant, { searches: searches.get(contestant)!, memoryMb: memory.get(contestant)! }];
      }),
    );
  } finally {
    for (const one of running.values()) await one.end();
  }
}

function searchesOf(
  bursts: readonly Answers["search"][],
  recall: (found: Answers["search"]["found"]) => number,
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
