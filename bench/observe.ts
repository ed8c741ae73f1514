import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { Registry } from "prom-client";
import { EventBus } from "#dist/events/event-bus.js";
import { countEvents } from "#dist/resources/metrics/event-metrics.js";
import { observeSearch } from "#dist/search/observe-search.js";
import type { SearchRequest } from "#dist/search/search-request.js";
import { traced } from "#dist/telemetry/traced.js";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";
import { quantile } from "./load.js";
import type { Turn, TurnRequest } from "./observe-process.js";
import { isCounting, type Observed, STATES, startSdk } from "./observe-states.js";
import { seeded } from "./texts.js";

/** Searches of one turn by mode. Short turns, so that all states meet the same load of the machine. */
const SEARCHES = { keyword: 200, hybrid: 20 } as const;
/** Processes of the same state differ by some percent, so that there are several, one after the other. */
const PROCESSES = 10;
/** Turns of each process. */
const TURNS = 24;
/** In these first turns of a process, V8 compiles what runs often. */
const WARM_UP_TURNS = 8;
const CONCURRENCY = 4;

/**
 * Measures what metrics and spans take from the rate of searches over 100,000 chunks. Each state has processes of its own,
 * which keep it, and all take turns on the same data. Since turns of a busy machine differ by more than that, what
 * observing takes is also measured without the searches.
 */
export async function benchObserve(log: (line: string) => void) {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  try {
    await using filled = new KnowledgeBase({ directory });
    const queries = makeQueries(await fillNamespace(filled, "MANAGED_LEXICAL", log), 200);
    await filled.close();
    const random = seeded(11);
    const figures: Record<string, object> = { alone: await measureAlone() };
    log(`without the searches: ${JSON.stringify(figures.alone)}`);
    for (const mode of ["keyword", "hybrid"] as const) {
      const request = { mode, queries: queries.slice(0, SEARCHES[mode]), concurrency: CONCURRENCY };
      const turns = new Map<Observed, Turn[]>(STATES.map((state) => [state, []]));
      for (let round = 0; round < PROCESSES; round++) {
        const processes = new Map(STATES.map((state) => [state, startProcess(directory, state)]));
        for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
          // In random order, so that no state always follows the same other one.
          for (const state of shuffled(STATES, random)) {
            const measured = await runTurn(processes.get(state)!, request);
            if (turn >= 0) turns.get(state)!.push(measured);
          }
        }
        await Promise.all([...processes.values()].map(endProcess));
      }
      figures[mode] = summarize(turns);
      log(`${mode}: ${JSON.stringify(figures[mode])}`);
    }
    return {
      chunks: CHUNKS,
      searchesPerTurn: SEARCHES,
      turns: PROCESSES * TURNS,
      concurrency: CONCURRENCY,
      ...figures,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function startProcess(directory: string, state: Observed): ChildProcess {
  return fork(new URL("./observe-process.ts", import.meta.url), [directory, state]);
}

async function endProcess(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, "exit");
}

async function runTurn(child: ChildProcess, request: TurnRequest): Promise<Turn> {
  child.send(request);
  const died = once(child, "exit").then(() => Promise.reject(new Error("A process of the benchmark ended.")));
  const [turn] = await Promise.race([once(child, "message"), died]);
  return turn as Turn;
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Stages with spans of their own by mode. */
const STAGES = { keyword: 1, hybrid: 5 } as const;
const EMPTY_SEARCHES = 20_000;

/** Measures the processor time of observing a search that does nothing, in microseconds. */
async function measureAlone(): Promise<object> {
  const quiet = new EventBus();
  const counted = new EventBus();
  using _counts = countEvents(counted, new Registry());
  const figures: Record<string, Record<string, number>> = { keyword: {}, hybrid: {} };
  for (const state of STATES) {
    using _sdk = startSdk(state);
    const events = isCounting(state) ? counted : quiet;
    for (const mode of ["keyword", "hybrid"] as const) figures[mode]![state] = await measureEmpty(events, mode);
  }
  return figures;
}

async function measureEmpty(events: EventBus, mode: "keyword" | "hybrid"): Promise<number> {
  const request = { mode, topK: 10 } as SearchRequest;
  const scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: null };
  const search = () =>
    observeSearch(events, { scope, request }, async () => {
      for (let stage = 0; stage < STAGES[mode]; stage++) await traced("lorebase.search.stage", {}, async () => {});
      return { hits: [] };
    });
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (let count = 0; count < EMPTY_SEARCHES; count++) await search();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / EMPTY_SEARCHES);
  }
  return quartiles(times)[1]!;
}

/**
 * The medians without either, for each state the quartiles of the ratios to the same turn without, and those of spans to
 * an SDK that records nothing.
 */
function summarize(turns: ReadonlyMap<Observed, readonly Turn[]>): object {
  const off = turns.get("off")!;
  const compare = (state: Observed, other: Observed) => {
    const ratiosOf = (key: keyof Turn) =>
      quartiles(turns.get(state)!.map((turn, index) => turn[key] / turns.get(other)![index]![key]));
    return { rate: ratiosOf("perSecond"), cpu: ratiosOf("cpuMs") };
  };
  const ratios = STATES.slice(1).map((state) => [state, compare(state, "off")]);
  const median = (key: keyof Turn) => quartiles(off.map((turn) => turn[key]))[1]!;
  return {
    perSecond: median("perSecond"),
    cpuMs: median("cpuMs"),
    ...Object.fromEntries(ratios),
    spansInContext: compare("spans", "context"),
  };
}

function quartiles(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((fraction) => quantile(sorted, fraction));
}
