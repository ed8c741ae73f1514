import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";
import { GatedEmbedder } from "./gated-embedder.js";

const SEARCHES_PER_SECOND = 20;
/** Rest and work alternate this often, so that whatever else the machine does slows both. */
const TURN_MS = 1000;
/** At the beginning of a turn, what the last one began comes to its end. */
const SETTLE_MS = 200;
/** How often all chunks are embedded at each rate. */
const ROUNDS = 3;
/** Chunks per second: without a limit, and as fast as a quarter of one core embeds. */
const RATES = [null, 2000] as const;

interface Latencies {
  readonly searches: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Embeds 100,000 chunks by another model under hybrid searches, which come at a fixed pace, and cuts over. */
export async function benchReembed(log: (line: string) => void): Promise<object> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  const model = new GatedEmbedder();
  const kb = new KnowledgeBase({ directory, embedders: [model.provider] });
  try {
    const queries = makeQueries(await fillNamespace(kb, "MANAGED_STATIC", log), 500);
    const handle = kb.namespace("bench");
    await kb.drain();
    await kb.namespaces.warmUp("bench");
    const searches = new PacedSearches(handle, queries);
    await searches.during(TURN_MS);
    const runs: object[] = [];
    for (const chunksPerSecond of RATES) {
      const turns: Turns = { atRest: [], meanwhile: [], embeddingMs: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        if (await handle.reembedding.get()) await handle.reembedding.discard();
        await handle.reembedding.wait();
        await embedUnderSearches({ handle, model, searches, chunksPerSecond, turns });
      }
      const [atRest, meanwhile] = [latencies(turns.atRest), latencies(turns.meanwhile)];
      const rate = (CHUNKS * ROUNDS) / (turns.embeddingMs / 1000);
      runs.push({ chunksPerSecond, rate, atRest, meanwhile, p99Ratio: meanwhile.p99 / atRest.p99 });
      log(JSON.stringify(runs.at(-1)));
    }
    const cutOverMs = await timed(() => handle.reembedding.cutOver());
    const firstSearchMs = await timed(() => handle.search(queries[0]!));
    const afterwards = latencies(await searches.during(8 * TURN_MS));
    return { chunks: CHUNKS, runs, cutOverMs, firstSearchMs, afterwards };
  } finally {
    await kb.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** How long searches took while nothing was embedded, and while chunks were, in milliseconds. */
interface Turns {
  readonly atRest: number[];
  readonly meanwhile: number[];
  embeddingMs: number;
}

/** Embeds all chunks, and halts every second. */
async function embedUnderSearches(run: {
  readonly handle: NamespaceHandle;
  readonly model: GatedEmbedder;
  readonly searches: PacedSearches;
  readonly chunksPerSecond: number | null;
  readonly turns: Turns;
}): Promise<void> {
  const { handle, model, searches, chunksPerSecond, turns } = run;
  await handle.reembedding.start(
    { embeddingConfig: { provider: "GATED" } },
    { ...(chunksPerSecond !== null && { chunksPerSecond }) },
  );
  while ((await handle.reembedding.get())!.state === "running") {
    model.close();
    await sleep(SETTLE_MS);
    turns.atRest.push(...(await searches.during(TURN_MS)));
    model.open();
    await sleep(SETTLE_MS);
    turns.meanwhile.push(...(await searches.during(TURN_MS)));
    turns.embeddingMs += SETTLE_MS + TURN_MS;
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Searches that begin at a fixed pace, whether or not earlier ones have ended. */
class PacedSearches {
  readonly #handle: NamespaceHandle;
  readonly #queries: readonly string[];
  #next = 0;

  constructor(handle: NamespaceHandle, queries: readonly string[]) {
    this.#handle = handle;
    this.#queries = queries;
  }

  /** Searches for a time, and returns how long the searches took, in milliseconds. */
  async during(durationMs: number): Promise<readonly number[]> {
    const times: number[] = [];
    const running: Promise<void>[] = [];
    const search = async () => {
      times.push(await timed(() => this.#handle.search(this.#queries[this.#next++ % this.#queries.length]!)));
    };
    const timer = setInterval(() => void running.push(search()), 1000 / SEARCHES_PER_SECOND);
    await sleep(durationMs);
    clearInterval(timer);
    await Promise.all(running);
    return times;
  }
}

function latencies(times: readonly number[]): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { searches: times.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
