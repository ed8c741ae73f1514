import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { HostedService } from "../interfaces/hosted.js";
import type { AskModel, LanguageModel } from "../interfaces/language-model.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { ANSWER_TIMEOUT_MS } from "../net/answer-timeout.js";
import { Semaphore } from "../util/semaphore.js";
import type { CallGuard, CallLimits, CallTarget } from "./call-guard.js";
import { wholeAnswer } from "./collect-answer.js";

const CONCURRENCY = 4;

/** An embedder whose calls go through the guard where it is hosted; any other as it is. */
export function guardEmbedder(embedder: Embedder, guard: CallGuard, limits?: Partial<CallLimits>): Embedder {
  const { provider, model } = embedder;
  if (!embedder.hosted) return embedder;
  const hosted = { concurrency: CONCURRENCY, ...embedder.hosted };
  const target = { ...commonOf(hosted), code: "provider_failed", provider, model, operation: "embed", limits } as const;
  return withReplaced(embedder, {
    hosted,
    embed: async (texts, options) => {
      if (texts.length === 0) return [];
      const urgent = options.purpose === "query";
      return guard.run({ ...target, urgent }, (own) => embedder.embed(texts, { ...options, ...own }), options);
    },
  });
}

/** A reranker whose calls go through the guard where it is hosted; any other as it is. */
export function guardReranker(reranker: Reranker, guard: CallGuard): Reranker {
  const { hosted, model } = reranker;
  if (!hosted) return reranker;
  const provider = model.split(":", 1)[0]!;
  const target: CallTarget = {
    ...commonOf(hosted),
    code: "provider_failed",
    provider,
    model,
    operation: "rerank",
    urgent: true,
  };
  return withReplaced(reranker, {
    rerank: (query, passages, options) =>
      guard.run(target, (own) => reranker.rerank(query, passages, { ...options, ...own }), options),
  });
}

/** What asks a language model for whole answers, through the guard: one that runs here may be as slow as one that doesn't. */
export function guardAnswers(model: LanguageModel, guard: CallGuard): AskModel {
  const { provider, model: name } = model;
  const hosted = model.hosted ?? { endpoint: `${provider} ${name}`, timeoutMs: ANSWER_TIMEOUT_MS };
  const target: CallTarget = {
    ...commonOf(hosted),
    code: "provider_failed",
    provider,
    model: name,
    operation: "generate",
    urgent: false,
  };
  return (messages, options = {}) =>
    guard.run(target, (own) => wholeAnswer(model, messages, { ...options, ...own }), options);
}

/** Somebody waits for a namespace that is being created, and it is created without an answer too. */
const CHECK = { attempts: 2, timeoutMs: 10_000 };

/** A vector store whose calls go through the guard where it is hosted; any other as it is. Each of them may be repeated without harm. */
export function guardVectorStore(store: VectorStore, guard: CallGuard): VectorStore {
  const { hosted, provider } = store;
  if (!hosted) return store;
  const target = { ...commonOf(hosted), code: "store_failed", provider, model: null, urgent: false } as const;
  return withReplaced(store, {
    upsert: (scope, records, options) =>
      guard.run(
        { ...target, operation: "upsert" },
        (own) => store.upsert(scope, records, { ...options, ...own }),
        options,
      ),
    query: (scope, query, options) =>
      guard.run(
        { ...target, operation: "query", urgent: true },
        (own) => store.query(scope, query, { ...options, ...own }),
        options,
      ),
    delete: (scope, what, options) =>
      guard.run(
        { ...target, operation: "delete" },
        (own) => store.delete(scope, what, { ...options, ...own }),
        options,
      ),
    ...(store.findMissing && {
      findMissing: (scope, ids, options) =>
        guard.run(
          { ...target, operation: "query" },
          (own) => store.findMissing!(scope, ids, { ...options, ...own }),
          options,
        ),
    }),
    ...(store.check && {
      check: (dimensions, options) =>
        guard.run(
          { ...target, operation: "query", urgent: true, limits: CHECK },
          (own) => store.check!(dimensions, { ...options, ...own }),
          options,
        ),
    }),
  });
}

/** The longest that a timer waits; beyond it, it doesn't wait at all. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws KnowledgeBaseError `invalid_input` for limits by which no call would ever begin, or be let end */
function checkLimits({ endpoint, concurrency = 1, timeoutMs = 1 }: HostedService): void {
  for (const [name, value, most] of [
    ["concurrency", concurrency, Number.MAX_SAFE_INTEGER],
    ["timeoutMs", timeoutMs, LONGEST_TIMEOUT_MS],
  ] as const) {
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    const message = `must be a whole number from 1 to ${most}, and the driver of ${endpoint} says ${value}`;
    throw new KnowledgeBaseError("invalid_input", `hosted.${name} ${message}`, {
      issues: [{ field: `hosted.${name}`, message }],
    });
  }
}

/** Slots are a driver's own: services limit who asks, by key, and one customer's ingest must not hold up another's. */
function commonOf(hosted: HostedService): Pick<CallTarget, "hosted" | "endpoint" | "slots"> {
  checkLimits(hosted);
  return { hosted, endpoint: hosted.endpoint, slots: new Semaphore(hosted.concurrency ?? CONCURRENCY) };
}

/** A driver with some members replaced. All else is asked of the driver itself, which may be an instance of a class of its own. */
function withReplaced<Driver extends object>(driver: Driver, replaced: Partial<Driver>): Driver {
  return new Proxy(replaced as Driver, {
    has: (_, key) => key in driver,
    get(_, key) {
      if (Object.hasOwn(replaced, key)) return replaced[key as keyof Driver];
      const value: unknown = Reflect.get(driver, key, driver);
      return typeof value === "function" ? value.bind(driver) : value;
    },
  });
}
