import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { KnowledgeBase } from "lorebase";
import { quantile } from "../load.js";
import { KeywordTexts } from "./data/keyword-texts.js";
import { Mixture } from "./data/mixture.js";
import { ingestRows, SLUG } from "./systems/lorebase.js";
import { PreparedEmbedder } from "./systems/prepared-embedder.js";
import { CHUNKS_PER_DOCUMENT, TOP_K, type Workload } from "./workload.js";

const DIMENSIONS = 384;
const ROUNDS = 3;
/** For each mode in each half of a round. */
const SEARCHES = 200;
/** Chunks to ingest during the searches, repeatedly if needed. */
const EXTRA_CHUNKS = 20_000;
const MODES = ["semantic", "keyword"] as const;

type Mode = (typeof MODES)[number];

interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface DuringIngestRound {
  readonly rows: number;
  readonly searches: number;
  readonly modes: Readonly<Record<Mode, { idle: Times; ingesting: Times; p99Ratio: number }>>;
  readonly chunksPerSecond: number;
  readonly eventLoopDelayMs: { readonly idle: number; readonly ingesting: number };
}

/**
 * Compares searches during an ingest into the same scope with searches of the idle engine, in turns, and measures the
 * longest delay of the caller's event loop. Chunks have 60 words and vectors of 384 dimensions.
 */
export async function benchDuringIngest(
  rows: number,
  { directory, log }: { directory: string; log: (line: string) => void },
): Promise<DuringIngestRound> {
  mkdirSync(directory, { recursive: true });
  const workload: Workload = { kind: "vectors", rows, dimensions: DIMENSIONS, file: join(directory, "vectors.f32") };
  const mixture = new Mixture(DIMENSIONS);
  mixture.write(workload.file, rows + EXTRA_CHUNKS, 6);
  const texts = new KeywordTexts(rows + EXTRA_CHUNKS, 7);
  const embedder = new PreparedEmbedder(workload);
  const kb = new KnowledgeBase({ directory: join(directory, "kb"), embedders: [embedder.provider] });
  try {
    await kb.namespaces.create({ name: "Bench", slug: SLUG, embeddingConfig: embedder.config });
    await ingestRows(kb.namespace(SLUG), texts.texts.slice(0, rows));
    log(`${rows} chunks ingested`);
    const queries = { vectors: mixture.draw(SEARCHES, 8), texts: texts.ofOneChunk(SEARCHES, 9) };
    const more = texts.texts.slice(rows);
    return await alternate(kb, embedder, queries, more, { rows, log });
  } finally {
    await kb.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function alternate(
  kb: KnowledgeBase,
  embedder: PreparedEmbedder,
  queries: Queries,
  more: readonly string[],
  { rows, log }: { rows: number; log: (line: string) => void },
): Promise<DuringIngestRound> {
  const idle: Measured = { times: { semantic: [], keyword: [] }, delayMs: 0 };
  const busy: Measured = { times: { semantic: [], keyword: [] }, delayMs: 0 };
  let [chunks, seconds] = [0, 0];
  // Warm-up.
  await searchAll(kb, embedder, queries, { times: { semantic: [], keyword: [] }, delayMs: 0 });
  for (let round = 1; round <= ROUNDS; round++) {
    await searchAll(kb, embedder, queries, idle);
    const started = performance.now();
    const ingest = ingestUntilStopped(kb, more, rows);
    await searchAll(kb, embedder, queries, busy);
    chunks += await ingest.stop();
    seconds += (performance.now() - started) / 1000;
    log(`round ${round}: ${chunks} chunks ingested during the searches so far`);
  }
  const modes = Object.fromEntries(MODES.map((mode) => [mode, ratio(idle.times[mode], busy.times[mode])]));
  return {
    rows,
    searches: SEARCHES * ROUNDS,
    modes: modes as DuringIngestRound["modes"],
    chunksPerSecond: chunks / seconds,
    eventLoopDelayMs: { idle: idle.delayMs, ingesting: busy.delayMs },
  };
}

interface Queries {
  readonly vectors: readonly Float32Array[];
  readonly texts: readonly string[];
}

interface Measured {
  readonly times: Record<Mode, number[]>;
  /** The longest delay. */
  delayMs: number;
}

/** Runs one search at a time, alternating the modes. */
async function searchAll(kb: KnowledgeBase, embedder: PreparedEmbedder, queries: Queries, measured: Measured) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const [index, text] of queries.texts.entries()) {
    for (const mode of MODES) {
      embedder.expect(queries.vectors[index]!);
      const started = performance.now();
      await kb.search(SLUG, text, { mode, topK: TOP_K, rerank: false });
      measured.times[mode].push(performance.now() - started);
    }
  }
  delay.disable();
  measured.delayMs = Math.max(measured.delayMs, delay.max / 1e6);
}

/** Ingests in the background, job after job. */
function ingestUntilStopped(kb: KnowledgeBase, texts: readonly string[], firstRow: number) {
  const size = CHUNKS_PER_DOCUMENT * 100;
  let ingesting = true;
  const done = (async () => {
    let chunks = 0;
    for (; ingesting; chunks += size) {
      const first = chunks % (texts.length - size + 1);
      await ingestRows(kb.namespace(SLUG), texts.slice(first, first + size), firstRow + first);
    }
    return chunks;
  })();
  return {
    stop: () => {
      ingesting = false;
      return done;
    },
  };
}

function ratio(idle: number[], busy: number[]): { idle: Times; ingesting: Times; p99Ratio: number } {
  const [idleTimes, busyTimes] = [timesOf(idle), timesOf(busy)];
  return { idle: idleTimes, ingesting: busyTimes, p99Ratio: busyTimes.p99Ms / idleTimes.p99Ms };
}

function timesOf(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}
