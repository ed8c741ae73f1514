import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { CallOptions } from "../types.js";
import { type BatchLimits, packBatches } from "../util/pack-batches.js";

const DEFAULT_BATCH = 64;
const UNLIMITED = { weight: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

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

/** Refusals of whoever asks, or of the model that is asked for: no part of the texts would fare better. */
const NOT_OF_TEXTS: readonly (number | null)[] = [401, 402, 403, 404];

/**
 * Sends texts of several documents to an embedder together. Short documents have a chunk or two, and a call for each would cost more
 * than the embedding; what is asked for in one turn of the event loop travels in one call, up to the embedder's limits of texts and tokens.
 * Of a hosted embedder, what is asked for while as many calls as it takes are under way travels together, too.
 */
export function batchingEmbedder(embedder: Embedder, { signal }: CallOptions): BatchingEmbedder {
  const name = `${embedder.provider} ${embedder.model}`;
  const { maxBatchSize: items = DEFAULT_BATCH, maxBatchTokens: weight = Number.POSITIVE_INFINITY } = embedder;
  const calls = embedder.hosted?.concurrency ?? Number.POSITIVE_INFINITY;
  const embeddings = new Batcher<Embedded>(name, { items, weight, calls }, async (texts) => {
    let tokens: readonly number[] = [];
    const onTokens = (counts: readonly number[]) => {
      tokens = counts;
    };
    const vectors = await embedder.embed(texts, { signal, purpose: "document", onTokens });
    return vectors.map((vector, index) => ({ vector, tokens: tokens[index] ?? null }));
  });
  const counts = new Batcher<number>(name, { ...UNLIMITED, items }, (texts) => embedder.countTokens(texts, { signal }));
  const weighed = async (texts: readonly string[]) =>
    embeddings.run(texts, await embedder.countTokens(texts, { signal }));
  return {
    embedder,
    embed: (texts) => (weight === Number.POSITIVE_INFINITY ? embeddings.run(texts) : weighed(texts)),
    countTokens: (texts) => counts.run(texts),
  };
}

interface Request<Result> {
  readonly texts: readonly string[];
  readonly weight: number;
  resolve(results: readonly Result[]): void;
  reject(error: unknown): void;
}

interface CallLimits extends BatchLimits {
  /** Calls at a time. */
  readonly calls: number;
}

class Batcher<Result> {
  readonly #name: string;
  readonly #limits: CallLimits;
  readonly #call: (texts: readonly string[]) => Promise<readonly Result[]>;
  readonly #waiting: Request<Result>[] = [];
  #running = 0;

  constructor(name: string, limits: CallLimits, call: (texts: readonly string[]) => Promise<readonly Result[]>) {
    this.#name = name;
    this.#limits = limits;
    this.#call = call;
  }

  /** A document's texts may be more than one call takes. */
  async run(texts: readonly string[], weights: readonly number[] = texts.map(() => 0)): Promise<readonly Result[]> {
    const portions = packBatches(weights, this.#limits).map(([start, end]) => {
      const weight = weights.slice(start, end).reduce((total, more) => total + more, 0);
      return this.#portion(texts.slice(start, end), weight);
    });
    return (await Promise.all(portions)).flat();
  }

  #portion(texts: readonly string[], weight: number): Promise<readonly Result[]> {
    return new Promise((resolve, reject) => {
      const request: Request<Result> = { texts, weight, resolve, reject };
      // One that doesn't fit any more begins the next call.
      if (this.#fitting([...this.#waiting, request]) <= this.#waiting.length) this.#flush();
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push(request);
    });
  }

  /** Sends what waits, unless as many calls as may are under way: then it goes on growing until one of them ends. */
  #flush(): void {
    while (this.#waiting.length > 0 && this.#running < this.#limits.calls) {
      this.#running++;
      void this.#send(this.#waiting.splice(0, this.#fitting(this.#waiting))).then(() => {
        this.#running--;
        this.#flush();
      });
    }
  }

  /** How many requests, from the first, one call takes: at least one. */
  #fitting(requests: readonly Request<Result>[]): number {
    let texts = 0;
    let weight = 0;
    const excess = requests.findIndex((request) => {
      texts += request.texts.length;
      weight += request.weight;
      return texts > this.#limits.items || weight > this.#limits.weight;
    });
    return excess < 0 ? requests.length : Math.max(1, excess);
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
      if (requests.length === 1 || isAbortError(error) || concernsAll(error)) {
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

function concernsAll(error: unknown): boolean {
  return KnowledgeBaseError.is(error) && (error.retryable || NOT_OF_TEXTS.includes(error.vendorStatus));
}
