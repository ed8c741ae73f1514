import { resolve } from "node:path";
import { KnowledgeBase } from "lorebase";
import { transformersProvider } from "#dist/embedders/transformers.js";
import { makeTexts } from "./texts.js";

const TEXTS = 240;
/** About 185 tokens. */
const CHARACTERS = 560;
const BATCH = 32;

/**
 * What the pipeline adds to embedding alone, and what one session for each core gains over one session with batches: three ways over
 * the same texts in one run, with a model that is on disk.
 */
export async function benchEmbed(model: string, log: (line: string) => void) {
  const texts = makeTexts(TEXTS, CHARACTERS, 6);
  const path = resolve(model);
  const config = { provider: "MANAGED_TRANSFORMERS" as const, model: path };
  const embedder = await transformersProvider.create(transformersProvider.config.parse(config), {
    modelsDirectory: path,
  });
  await embedder.embed(texts.slice(0, 8), { purpose: "document" });

  const bare: number[] = [];
  const pipeline: number[] = [];
  const plain: number[] = [];
  let cosine = 1;
  const session = await plainSession(path);
  for (let round = 1; round <= 3; round++) {
    bare.push(await rate(() => embedder.embed(texts, { purpose: "document" })));
    const kb = new KnowledgeBase({ directory: ":memory:" });
    await kb.namespaces.create({ name: "Embed", slug: "embed", embeddingConfig: config });
    await (await kb.ingest("embed", { type: "TEXT", text: "The threads are started by this one." })).done();
    const items = texts.map((text) => ({ type: "TEXT" as const, text }));
    pipeline.push(
      await rate(async () => {
        const job = await (await kb.ingest("embed", { type: "BATCH", items }, { chunkSize: 4096 })).done();
        if (job.counts.chunks !== TEXTS)
          throw new Error(`${job.counts.chunks} chunks for ${TEXTS} texts: ${job.error}`);
      }),
    );
    await kb.close();
    plain.push(
      await rate(async () => {
        for (let first = 0; first < TEXTS; first += BATCH) await session(texts.slice(first, first + BATCH));
      }),
    );
    log(
      `round ${round}: bare ${bare.at(-1)!.toFixed(1)}, pipeline ${pipeline.at(-1)!.toFixed(1)}, one session in batches ${plain.at(-1)!.toFixed(1)} texts/s`,
    );
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
    pipelineToBare: median(pipeline) / median(bare),
    oneSessionInBatchesTextsPerSecond: median(plain),
    pipelineToOneSession: median(pipeline) / median(plain),
    lowestCosineToPlain: cosine,
  };
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return TEXTS / ((performance.now() - started) / 1000);
}

/** transformers.js as its own documentation uses it. */
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
