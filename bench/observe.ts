import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { context, propagation, trace } from "@opentelemetry/api";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { KnowledgeBase } from "lorebase";
import { Registry } from "prom-client";
import { EventBus } from "#dist/events/event-bus.js";
import { countEvents } from "#dist/resources/metrics/event-metrics.js";
import { observeSearch } from "#dist/search/observe-search.js";
import type { SearchRequest } from "#dist/search/search-request.js";
import { traced } from "#dist/telemetry/traced.js";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";
import { load, quantile } from "./load.js";
import { seeded } from "./texts.js";

/** Searches of one turn by mode, and turns of each state: short ones, so that all states meet the same load of the machine. */
const SEARCHES = { keyword: 100, hybrid: 10 } as const;
const TURNS = 100;
const CONCURRENCY = 4;

const STATES = ["off", "metrics", "spans", "both"] as const;
type Observed = (typeof STATES)[number];

interface Turn {
  readonly perSecond: number;
  /** Processor time of all threads for a search. */
  readonly cpuMs: number;
}

/**
 * Measures what metrics and spans take from the rate of searches over 100,000 chunks. All states take turns on the same
 * data: two knowledge bases on one directory, one of which collects metrics, with and without an SDK of OpenTelemetry
 * that samples everything and exports to nowhere. Since turns of a busy machine differ by more than that, what observing
 * takes is also measured without the searches.
 */
export async function benchObserve(log: (line: string) => void) {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  try {
    await using filled = new KnowledgeBase({ directory });
    const queries = makeQueries(await fillNamespace(filled, "MANAGED_LEXICAL", log), 200);
    await filled.close();
    await using plain = new KnowledgeBase({ directory, worker: false });
    await using counting = new KnowledgeBase({ directory, worker: false, metrics: true });
    const random = seeded(11);
    const figures: Record<string, object> = { alone: await measureAlone() };
    log(`without the searches: ${JSON.stringify(figures.alone)}`);
    for (const mode of ["keyword", "hybrid"] as const) {
      const turns = new Map<Observed, Turn[]>(STATES.map((state) => [state, []]));
      // The first turn warms up.
      for (let turn = -1; turn < TURNS; turn++) {
        // In random order, so that no state always follows the same other one.
        for (const state of shuffled(STATES, random)) {
          const kb = state === "metrics" || state === "both" ? counting : plain;
          using _sdk = state === "spans" || state === "both" ? startSdk() : null;
          const measured = await measure(kb, mode, queries.slice(0, SEARCHES[mode]));
          if (turn >= 0) turns.get(state)!.push(measured);
        }
      }
      figures[mode] = summarize(turns);
      log(`${mode}: ${JSON.stringify(figures[mode])}`);
    }
    return { chunks: CHUNKS, searchesPerTurn: SEARCHES, turns: TURNS, concurrency: CONCURRENCY, ...figures };
  } finally {
    await rm(directory, { recursive: true });
  }
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
    using _sdk = state === "spans" || state === "both" ? startSdk() : null;
    const events = state === "metrics" || state === "both" ? counted : quiet;
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

async function measure(kb: KnowledgeBase, mode: "keyword" | "hybrid", queries: readonly string[]): Promise<Turn> {
  const before = process.cpuUsage();
  const { perSecond } = await load((query) => kb.search("bench", query, { mode }), queries, CONCURRENCY);
  const { user, system } = process.cpuUsage(before);
  return { perSecond, cpuMs: (user + system) / 1000 / queries.length };
}

function startSdk(): Disposable {
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  };
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  return {
    [Symbol.dispose]: () => {
      trace.disable();
      context.disable();
      propagation.disable();
      void provider.shutdown();
    },
  };
}

/** The medians without either, and for each state the quartiles of the ratios to the same turn without. */
function summarize(turns: ReadonlyMap<Observed, readonly Turn[]>): object {
  const off = turns.get("off")!;
  const ratios = STATES.slice(1).map((state) => {
    const ratiosOf = (key: keyof Turn) =>
      quartiles(turns.get(state)!.map((turn, index) => turn[key] / off[index]![key]));
    return [state, { rate: ratiosOf("perSecond"), cpu: ratiosOf("cpuMs") }];
  });
  const median = (key: keyof Turn) => quartiles(off.map((turn) => turn[key]))[1]!;
  return { perSecond: median("perSecond"), cpuMs: median("cpuMs"), ...Object.fromEntries(ratios) };
}

function quartiles(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((fraction) => quantile(sorted, fraction));
}
