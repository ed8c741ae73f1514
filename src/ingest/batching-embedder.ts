import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { CallOptions } from "../types.js";

const DEFAULT_BATCH = 64;

export interface Embedded {
  readonly vector: Float32Array;
  /** Null where the embedder has not told. */
  readonly tokens: number | null;
}

/** The embedder's calls that documents of one job make, shared among them. */
export interface BatchingEmbedder {
  readonly embedder: Embedder;
  /** One answer a text, in order. */
  embed(texts: readonly string[]): Promise<readonly Embedded[]>;
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
}

/**
 * Sends texts of several documents to an embedder together. Short documents have a chunk or two, and a call for each would cost more
 * than the embedding; what is asked for in one turn of the event loop travels in one call, up to the embedder's batch size.
 */
export function batchingEmbedder(embedder: Embedder, { signal }: CallOptions): BatchingEmbedder {
  const name = `${embedder.provider} ${embedder.model}`;
  const size = embedder.maxBatchSize ?? DEFAULT_BATCH;
  const embeddings = new Batcher<Embedded>(name, size, async (texts) => {
    let tokens: readonly number[] = [];
    const onTokens = (counts: readonly number[]) => {
      tokens = counts;
    };
    const vectors = await embedder.embed(texts, { signal, purpose: "document", onTokens });
    return vectors.map((vector, index) => ({ vector, tokens: tokens[index] ?? null }));
  });
  const counts = new Batcher<number>(name, size, (texts) => embedder.countTokens(texts, { signal }));
  return { embedder, embed: (texts) => embeddings.run(texts), countTokens: (texts) => inPortions(texts, size, counts) };
}

/** A document's texts may be more than one call takes. */
async function inPortions(texts: readonly string[], size: number, counts: Batcher<number>): Promise<readonly number[]> {
  const portions = Array.from({ length: Math.ceil(texts.length / size) }, (_, index) =>
    counts.run(texts.slice(index * size, (index + 1) * size)),
  );
  return (await Promise.all(portions)).flat();
}

interface Request<Result> {
  readonly texts: readonly string[];
  resolve(results: readonly Result[]): void;
  reject(error: unknown): void;
}

class Batcher<Result> {
  readonly #name: string;
  readonly #size: number;
  readonly #call: (texts: readonly string[]) => Promise<readonly Result[]>;
  #waiting: Request<Result>[] = [];
  #texts = 0;

  constructor(name: string, size: number, call: (texts: readonly string[]) => Promise<readonly Result[]>) {
    this.#name = name;
    this.#size = size;
    this.#call = call;
  }

  run(texts: readonly string[]): Promise<readonly Result[]> {
    if (texts.length === 0) return Promise.resolve([]);
    // A document's own texts come in batches already; one that doesn't fit any more begins the next call.
    if (this.#texts + texts.length > this.#size) this.#flush();
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    this.#texts += texts.length;
    return new Promise((resolve, reject) => this.#waiting.push({ texts, resolve, reject }));
  }

  #flush(): void {
    const requests = this.#waiting;
    this.#waiting = [];
    this.#texts = 0;
    if (requests.length > 0) void this.#send(requests);
  }

  async #send(requests: readonly Request<Result>[]): Promise<void> {
    const texts = requests.flatMap((request) => request.texts);
    try {
      const results = await this.#call(texts);
      // Checked before they are handed out: one result too few would give every later text another's.
      if (results.length !== texts.length) throw this.#miscounted(results.length, texts.length);
      let start = 0;
      for (const request of requests) {
        request.resolve(results.slice(start, start + request.texts.length));
        start += request.texts.length;
      }
    } catch (error) {
      if (requests.length === 1 || isAbortError(error) || (KnowledgeBaseError.is(error) && error.retryable)) {
        for (const { reject } of requests) reject(error);
      } else {
        // One document's text may be what was refused: the others must not fail with it.
        await Promise.all(requests.map((request) => this.#send([request])));
      }
    }
  }

  #miscounted(results: number, texts: number): KnowledgeBaseError {
    return new KnowledgeBaseError(
      "provider_failed",
      `The embedder ${this.#name} returned ${results} results for ${texts} texts.`,
    );
  }
}
