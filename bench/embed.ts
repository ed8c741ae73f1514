import { resolve } from "node:path";
import { KnowledgeBase } from "lorebase";
import { transformersProvider } from "#dist/embedders/transformers/provider.js";
import { makeTexts } from "./texts.js";

const TEXTS = 480;
/** From about 50 to 320 tokens, 185 on average: passages are not of one length. */
const SHORTEST = 150;
const LONGEST = 970;
const BATCH = 32;
const ROUNDS = 3;

/**
 * What the pipeline adds to embedding alone, and what one session for each core gains over one session with batches: three ways over
 * the same texts in one run, with a model that is on disk.
 */
export async function benchEmbed(model: string, log: (line: string) => void) {
  const texts = makeTexts(TEXTS, LONGEST, 6).map((text, index) => {
    return text.slice(0, SHORTEST + ((index * 97) % (LONGEST - SHORTEST)));
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
    const kb = new KnowledgeBase({ directory: ":memory:" });
    await kb.namespaces.create({ name: "Embed", slug: "embed", embeddingConfig: config });
    // Enough for every thread to have opened the model: the others have, too.
    const warmUp = makeTexts(16, LONGEST, 7).map((text) => ({ type: "TEXT" as const, text }));
    await (await kb.ingest("embed", { type: "BATCH", items: warmUp })).done();
    const items = texts.map((text) => ({ type: "TEXT" as const, text }));
    pipeline.push(
      await rate(async () => {
        const job = await (await kb.ingest("embed", { type: "BATCH", items }, { chunkSize: 4096 })).done();
        if (job.counts.chunks !== TEXTS)
          throw new Error(`${job.counts.chunks} chunks for ${TEXTS} texts: ${job.error}`);
      }),
    );
    await kb.close();
    // On both sides of the pipeline: a machine's speed drifts by more than the pipeline costs.
    bare.push((before + (await embedAlone())) / 2);
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
