import { KnowledgeBase } from "lorebase";
import { quantile } from "./load.js";
import { mixtureEmbedder } from "./mixture-embedder.js";

export interface ReaderFigures {
  /** Memory (RSS) before the first search and after all of them. */
  readonly openMb: number;
  readonly searchedMb: number;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

// A process of the benchmark: searches a database that others have filled, and prints times and memory.
const { url, mode, queries } = JSON.parse(process.argv[2]!) as {
  readonly url: string;
  readonly mode: "semantic" | "keyword";
  readonly queries: readonly string[];
};
const kb = new KnowledgeBase({
  ...{ database: url, masterKey: "11".repeat(32), sharedDirectory: true, worker: false },
  embedders: [mixtureEmbedder()],
  limits: { scanMemoryMb: 16_384 },
});
await kb.namespaces.get("bench");
const openMb = residentMb();
const times: number[] = [];
for (const query of queries) {
  const started = performance.now();
  const hits = await kb.search("bench", query, { mode });
  times.push(performance.now() - started);
  if (hits.length === 0) throw new Error(`Nothing was found for "${query}".`);
}
const [firstMs, ...further] = times;
further.sort((a, b) => a - b);
const figures: ReaderFigures = {
  openMb,
  searchedMb: residentMb(),
  firstMs: firstMs!,
  p50Ms: quantile(further, 0.5),
  p95Ms: quantile(further, 0.95),
};
await kb.close();
process.stdout.write(JSON.stringify(figures));

function residentMb(): number {
  return process.memoryUsage.rss() / 1e6;
}
