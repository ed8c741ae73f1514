import { resolve } from "node:path";
import { KnowledgeBase, type KnowledgeBaseOptions } from "lorebase";
import { transformersProvider } from "#dist/embedders/transformers/provider.js";
import { makeTexts } from "./texts.js";
import { withTestDatabase } from "./with-test-database.js";

export type Engine = "sqlite" | "postgres";

const TEXTS = 480;
/** Lengths from about 50 to 320 tokens, 185 on average, since passages differ in length. */
const MIN_CHARACTERS = 150;
const MAX_CHARACTERS = 970;
const BATCH = 32;
const ROUNDS = 3;

/**
 * Measures the overhead of the pipeline over embedding alone, and the gain of one session per core over one session
 * with batches, over the same texts in one run, with a model on disk.
 */
export async function benchEmbed(model: string, engine: Engine, log: (line: string) => void) {
  if (engine === "sqlite") return measure(model, { directory: ":memory:" }, log);
  return withTestDatabase(({ url }) =>
    measure(model, { database: url, masterKey: "11".repeat(32), sharedDirectory: true }, log),
  );
}

async function measure(model: string, options: KnowledgeBaseOptions, log: (line: string) => void) {
  const texts = makeTexts(TEXTS, MAX_CHARACTERS, 6).map((text, index) => {
    return text.slice(0, MIN_CHARACTERS + ((index * 97) % (MAX_CHARACTERS - MIN_CHARACTERS)));
  });
  const path = resolve(model);
  const config = { provider: "MANAGED_TRANSFORMERS" as const, model: path };
  const embedder = await transformersProvider.create(transformersProvider.config.parse(config), {
    modelsDirectory: path,
    fetch,
  });
  await embedder.embed(texts.slice(0, 8), { purpose: "document" });

  const bare: number[] = [];
  const pipeline: number[] = [];
  const plain: number[] = [];
  let cosine = 1;
  const session = await plainSession(path);
  for (let round = 1; round <= ROUNDS; round++) {
    const embedAlone = () => rate(() => embedder.embed(texts, { purpose: "document" }));
    const before = await embedAlone();
    const kb = new KnowledgeBase(options);
    await kb.namespaces.create({ name: "Embed", slug: `embed-${round}`, embeddingConfig: config });
    // Enough that every thread opens the model.
    const warmUp = makeTexts(16, MAX_CHARACTERS, 7).map((text) => ({ type: "TEXT" as const, text }));
    await (await kb.ingest(`embed-${round}`, { type: "BATCH", items: warmUp })).done();
    const items = texts.map((text) => ({ type: "TEXT" as const, text }));
    pipeline.push(
      await rate(async () => {
        const job = await (await kb.ingest(`embed-${round}`, { type: "BATCH", items }, { chunkSize: 4096 })).done();
        if (job.counts.chunks !== TEXTS)
          throw new Error(`${job.counts.chunks} chunks for ${TEXTS} texts: ${job.error}`);
      }),
    );
    await kb.close();
    // Before and after the pipeline, since the speed of a machine drifts by more than its overhead.
    bare.push((before + (await embedAlone())) / 2);
    plain.push(
      await rate(async () => {
        for (let first = 0; first < TEXTS; first += BATCH) await session(texts.slice(first, first + BATCH));
      }),
    );
    const rates = `bare ${bare.at(-1)!.toFixed(1)}, pipeline ${pipeline.at(-1)!.toFixed(1)}`;
    log(`round ${round}: ${rates}, one session in batches ${plain.at(-1)!.toFixed(1)} texts/s`);
  }
  const ours = await embedder.embed(texts.slice(0, 50), { purpose: "document" });
  for (const [index, vector] of ours.entries()) {
    const [theirs] = await session([texts[index]!]);
    cosine = Math.min(
      cosine,
      vector.reduce((sum, value, at) => sum + value * theirs![at]!, 0),
    );
  }
  await embedder.close?.();
  return {
    texts: TEXTS,
    bareTextsPerSecond: median(bare),
    pipelineTextsPerSecond: median(pipeline),
    pipelineToBare: median(pipeline.map((rate, round) => rate / bare[round]!)),
    oneSessionInBatchesTextsPerSecond: median(plain),
    pipelineToOneSession: median(pipeline.map((rate, round) => rate / plain[round]!)),
    lowestCosineToPlain: cosine,
  };
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return TEXTS / ((performance.now() - started) / 1000);
}

/** transformers.js as in its documentation. */
async function plainSession(path: string): Promise<(texts: string[]) => Promise<number[][]>> {
  const { env, pipeline } = await import("@huggingface/transformers");
  env.allowRemoteModels = false;
  env.localModelPath = resolve(path, "..");
  const extract = await pipeline("feature-extraction", path.split("/").at(-1)!, { dtype: "q8" });
  return async (texts) => (await extract(texts, { pooling: "mean", normalize: true })).tolist() as number[][];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
