import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";

const SEARCHES_PER_SECOND = 20;
/** Rest and work alternate, so that a busy machine slows both. */
const TURNS = 3;
const TURN_MS = 8000;
/** Chunks per second: without a limit, and as fast as a quarter of one core embeds. */
const RATES = [null, 2000] as const;

const NEW = { provider: "MANAGED_LEXICAL" };

interface Latencies {
  readonly searches: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Embeds 100,000 chunks by another model under hybrid searches, which come at a fixed pace, and cuts over. */
export async function benchReembed(log: (line: string) => void): Promise<object> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  const kb = new KnowledgeBase({ directory });
  try {
    const queries = makeQueries(await fillNamespace(kb, "MANAGED_STATIC", log), 500);
    const handle = kb.namespace("bench");
    await kb.drain();
    await kb.namespaces.warmUp("bench");
    const searches = new PacedSearches(handle, queries);
    await searches.during(() => sleep(TURN_MS));
    const runs: object[] = [];
    for (const chunksPerSecond of RATES) {
      const [rest, busy]: [number[], number[]] = [[], []];
      let embedded = 0;
      for (let turn = 0; turn < TURNS; turn++) {
        rest.push(...(await searches.during(() => sleep(TURN_MS))));
        await handle.reembedding.start(NEW, { ...(chunksPerSecond !== null && { chunksPerSecond }) });
        busy.push(...(await searches.during(() => sleep(TURN_MS))));
        embedded += (await handle.reembedding.get())!.embedded;
        await handle.reembedding.discard();
        await handle.reembedding.wait();
        await sleep(1000);
      }
      const [atRest, meanwhile] = [latencies(rest), latencies(busy)];
      const rate = embedded / ((TURNS * TURN_MS) / 1000);
      runs.push({ chunksPerSecond, rate, atRest, meanwhile, p99Ratio: meanwhile.p99 / atRest.p99 });
      log(JSON.stringify(runs.at(-1)));
    }
    const seconds =
      (await timed(async () => {
        await handle.reembedding.start(NEW);
        await handle.reembedding.wait();
      })) / 1000;
    const cutOver = await timed(() => handle.reembedding.cutOver());
    const firstSearch = await timed(() => handle.search(queries[0]!));
    const afterwards = latencies(await searches.during(() => sleep(TURN_MS)));
    return { chunks: CHUNKS, seconds, runs, cutOverMs: cutOver, firstSearchMs: firstSearch, afterwards };
  } finally {
    await kb.close();
    await rm(directory, { recursive: true, force: true });
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

  /** Searches while `work` runs, and returns how long the searches took, in milliseconds. */
  async during(work: () => Promise<unknown>): Promise<readonly number[]> {
    const times: number[] = [];
    const running: Promise<void>[] = [];
    const search = async () => {
      times.push(await timed(() => this.#handle.search(this.#queries[this.#next++ % this.#queries.length]!)));
    };
    const timer = setInterval(() => void running.push(search()), 1000 / SEARCHES_PER_SECOND);
    await work();
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
