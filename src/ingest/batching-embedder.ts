import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { CallOptions } from "../types.js";
import { type BatchLimits, packBatches } from "../util/pack-batches.js";

/** The number of texts per call, unless the embedder sets one. */
export const DEFAULT_BATCH_SIZE = 64;
const UNLIMITED = { maxWeight: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

export interface Embedded {
  readonly vector: Float32Array;
  /** The token count; `null` if the embedder did not report it. */
  readonly tokens: number | null;
}

/** Batches the embedder calls of the documents of one job. */
export interface BatchingEmbedder {
  readonly embedder: Embedder;
  /** One result per text, in order. */
  embed(texts: readonly string[]): Promise<readonly Embedded[]>;
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
}

/** Status codes that concern the account or the model, not the texts, so that splitting the batch doesn't help. */
const BATCH_INDEPENDENT_STATUSES: readonly (number | null)[] = [401, 402, 403, 404];

/**
 * Batches texts of several documents into shared embedder calls. Short documents have only a chunk or two, and a call
 * for each document would cost more than the embedding. Requests within one turn of the event loop share a call, up to
 * the embedder's limits on texts and tokens. So do requests that wait while a hosted embedder is at its concurrency
 * limit.
 */
export function createBatchingEmbedder(embedder: Embedder, { signal }: CallOptions): BatchingEmbedder {
  const name = `${embedder.provider} ${embedder.model}`;
  const { maxBatchSize: maxItems = DEFAULT_BATCH_SIZE, maxBatchTokens: maxWeight = Number.POSITIVE_INFINITY } =
    embedder;
  const calls = embedder.hosted?.concurrency ?? Number.POSITIVE_INFINITY;
  const embedBatcher = new Batcher<Embedded>(name, { maxItems, maxWeight, calls }, async (texts) => {
    let tokens: readonly number[] = [];
    const onTokens = (counts: readonly number[]) => {
      tokens = counts;
    };
    const vectors = await embedder.embed(texts, { signal, purpose: "document", onTokens });
    return vectors.map((vector, index) => ({ vector, tokens: tokens[index] ?? null }));
  });
  const countBatcher = new Batcher<number>(name, { ...UNLIMITED, maxItems }, (texts) =>
    embedder.countTokens(texts, { signal }),
  );
  const embedByTokens = async (texts: readonly string[]) =>
    embedBatcher.run(texts, await embedder.countTokens(texts, { signal }));
  return {
    embedder,
    embed: (texts) => (maxWeight === Number.POSITIVE_INFINITY ? embedBatcher.run(texts) : embedByTokens(texts)),
    countTokens: (texts) => countBatcher.run(texts),
  };
}

interface Request<Result> {
  readonly texts: readonly string[];
  readonly weight: number;
  resolve(results: readonly Result[]): void;
  reject(error: unknown): void;
}

interface CallLimits extends BatchLimits {
  /** The maximum number of concurrent calls. */
  readonly calls: number;
}

/** Combines requests into calls within the limits, and splits the results among the requests. */
class Batcher<Result> {
  readonly #name: string;
  readonly #limits: CallLimits;
  readonly #call: (texts: readonly string[]) => Promise<readonly Result[]>;
  readonly #waiting: Request<Result>[] = [];
  #runningCount = 0;

  constructor(name: string, limits: CallLimits, call: (texts: readonly string[]) => Promise<readonly Result[]>) {
    this.#name = name;
    this.#limits = limits;
    this.#call = call;
  }

  /** Returns the results of a document's texts, which are split if one call can't take them all. */
  async run(texts: readonly string[], weights: readonly number[] = texts.map(() => 0)): Promise<readonly Result[]> {
    const parts = packBatches(weights, this.#limits).map(([start, end]) => {
      const weight = weights.slice(start, end).reduce((total, more) => total + more, 0);
      return this.#enqueue(texts.slice(start, end), weight);
    });
    return (await Promise.all(parts)).flat();
  }

  #enqueue(texts: readonly string[], weight: number): Promise<readonly Result[]> {
    return new Promise((resolve, reject) => {
      const request: Request<Result> = { texts, weight, resolve, reject };
      // A request that doesn't fit into the next call goes into the call after that.
      if (this.#countFitting([...this.#waiting, request]) <= this.#waiting.length) this.#flush();
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push(request);
    });
  }

  /** Sends the waiting requests. At the limit of concurrent calls, requests accumulate until a call ends. */
  #flush(): void {
    while (this.#waiting.length > 0 && this.#runningCount < this.#limits.calls) {
      this.#runningCount++;
      void this.#send(this.#waiting.splice(0, this.#countFitting(this.#waiting))).then(() => {
        this.#runningCount--;
        this.#flush();
      });
    }
  }

  /** Returns how many requests, counted from the first, fit into one call: at least one. */
  #countFitting(requests: readonly Request<Result>[]): number {
    let textCount = 0;
    let weight = 0;
    const excess = requests.findIndex((request) => {
      textCount += request.texts.length;
      weight += request.weight;
      return textCount > this.#limits.maxItems || weight > this.#limits.maxWeight;
    });
    return excess < 0 ? requests.length : Math.max(1, excess);
  }

  async #send(requests: readonly Request<Result>[]): Promise<void> {
    const texts = requests.flatMap((request) => request.texts);
    try {
      const results = await this.#call(texts);
      // Checked first, because a missing result would assign all later results to the wrong texts.
      if (results.length !== texts.length) throw this.#countMismatchError(results.length, texts.length);
      let start = 0;
      for (const request of requests) {
        request.resolve(results.slice(start, start + request.texts.length));
        start += request.texts.length;
      }
    } catch (error) {
      if (requests.length === 1 || isAbortError(error) || isBatchIndependent(error)) {
        for (const { reject } of requests) reject(error);
      } else {
        // The text of one document may cause the failure; the other documents must not fail because of it.
        await Promise.all(requests.map((request) => this.#send([request])));
      }
    }
  }

  #countMismatchError(resultCount: number, textCount: number): KnowledgeBaseError {
    return new KnowledgeBaseError(
      "provider_failed",
      `The embedder ${this.#name} returned ${resultCount} results for ${textCount} texts.`,
    );
  }
}

function isBatchIndependent(error: unknown): boolean {
  return KnowledgeBaseError.is(error) && (error.retryable || BATCH_INDEPENDENT_STATUSES.includes(error.httpStatus));
}
