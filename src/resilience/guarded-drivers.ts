import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { HostedCallOptions, HostedService } from "../interfaces/hosted.js";
import type { GenerateText, LanguageModel } from "../interfaces/language-model.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { ANSWER_TIMEOUT_MS } from "../net/answer-timeout.js";
import { overrideMembers } from "../util/override-members.js";
import { Semaphore } from "../util/semaphore.js";
import type { CallGuard, CallLimits, CallTarget } from "./call-guard.js";
import { collectAnswer } from "./collect-answer.js";
import { streamAnswer } from "./stream-answer.js";

const DEFAULT_CONCURRENCY = 4;

/** Routes the calls of a hosted embedder through the guard; returns any other embedder unchanged. */
export function guardEmbedder(embedder: Embedder, guard: CallGuard, limits?: Partial<CallLimits>): Embedder {
  const { provider, model } = embedder;
  if (!embedder.hosted) return embedder;
  const hosted = { concurrency: DEFAULT_CONCURRENCY, ...embedder.hosted };
  const target = {
    ...sharedTarget(hosted),
    code: "provider_failed",
    provider,
    model,
    operation: "embed",
    limits,
  } as const;
  return overrideMembers(embedder, {
    hosted,
    embed: async (texts, options) => {
      if (texts.length === 0) return [];
      const urgent = options.purpose === "query";
      return guard.run(
        { ...target, urgent },
        (callOptions) => embedder.embed(texts, { ...options, ...callOptions }),
        options,
      );
    },
  });
}

/** Routes the calls of a hosted reranker through the guard; returns any other reranker unchanged. */
export function guardReranker(reranker: Reranker, guard: CallGuard): Reranker {
  const { hosted, model } = reranker;
  if (!hosted) return reranker;
  const provider = model.split(":", 1)[0]!;
  const target: CallTarget = {
    ...sharedTarget(hosted),
    code: "provider_failed",
    provider,
    model,
    operation: "rerank",
    urgent: true,
  };
  return overrideMembers(reranker, {
    rerank: (query, passages, options) =>
      guard.run(target, (callOptions) => reranker.rerank(query, passages, { ...options, ...callOptions }), options),
  });
}

/** Returns a function that asks a model through the guard. Local models, which can be slow, are guarded as well. */
export function guardLanguageModel(model: LanguageModel, guard: CallGuard): GenerateText {
  const target = languageModelTarget(model, { urgent: false });
  return (messages, options = {}) =>
    guard.run(target, (callOptions) => collectAnswer(model, messages, { ...options, ...callOptions }), options);
}

/**
 * Returns a function that streams a model's answers through the guard, for a user who waits for them. A failed call is
 * retried only until the first part has arrived; the model's timeout limits the wait for each part. Leaving the
 * iteration or aborting the signal cancels the call at once, even if the model ignores its signal. The calls share a
 * limit on concurrency, and each counts until its stream ends.
 */
export function streamLanguageModel(model: LanguageModel, guard: CallGuard): LanguageModel["generate"] {
  const target = languageModelTarget(model, { urgent: true });
  return (messages, options = {}) =>
    guard.stream(target, (callOptions) => streamAnswer(model, messages, { ...options, ...callOptions }), options);
}

function languageModelTarget(model: LanguageModel, { urgent }: Pick<CallTarget, "urgent">): CallTarget {
  const { provider, model: name } = model;
  const hosted = model.hosted ?? { endpoint: `${provider} ${name}`, timeoutMs: ANSWER_TIMEOUT_MS };
  return { ...sharedTarget(hosted), code: "provider_failed", provider, model: name, operation: "generate", urgent };
}

/** Short, because creating a namespace waits for the check; without a response, creation goes on. */
const CHECK_LIMITS = { attempts: 2, timeoutMs: 10_000 };

/** Routes the calls of a hosted vector store, all idempotent, through the guard; returns any other store unchanged. */
export function guardVectorStore(store: VectorStore, guard: CallGuard): VectorStore {
  const { hosted, provider } = store;
  if (!hosted) return store;
  const shared = { ...sharedTarget(hosted), code: "store_failed", provider, model: null, urgent: false } as const;
  const run = <Result>(
    target: Pick<CallTarget, "operation"> & Partial<CallTarget>,
    options: HostedCallOptions | undefined,
    call: (options: HostedCallOptions) => Promise<Result>,
  ) => guard.run({ ...shared, ...target }, (callOptions) => call({ ...options, ...callOptions }), options);
  return overrideMembers(store, {
    upsert: (scope, records, options) =>
      run({ operation: "upsert" }, options, (call) => store.upsert(scope, records, call)),
    query: (scope, query, options) =>
      run({ operation: "query", urgent: true }, options, (call) => store.query(scope, query, call)),
    delete: (scope, target, options) =>
      run({ operation: "delete" }, options, (call) => store.delete(scope, target, call)),
    ...(store.findMissing && {
      findMissing: (scope, ids, options) =>
        run({ operation: "query" }, options, (call) => store.findMissing!(scope, ids, call)),
    }),
    ...(store.check && {
      check: (dimensions, options) =>
        run({ operation: "query", urgent: true, limits: CHECK_LIMITS }, options, (call) =>
          store.check!(dimensions, call),
        ),
    }),
  });
}

/** The maximum delay of `setTimeout`, which fires at once if the delay is longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws KnowledgeBaseError `invalid_input` for limits under which no call could start or finish */
function checkLimits({ endpoint, concurrency = 1, timeoutMs = 1 }: HostedService): void {
  for (const [name, value, max] of [
    ["concurrency", concurrency, Number.MAX_SAFE_INTEGER],
    ["timeoutMs", timeoutMs, MAX_TIMEOUT_MS],
  ] as const) {
    if (Number.isInteger(value) && value >= 1 && value <= max) continue;
    const message = `must be an integer from 1 to ${max}; the driver of ${endpoint} sets ${value}`;
    throw new KnowledgeBaseError("invalid_input", `hosted.${name} ${message}`, {
      issues: [{ field: `hosted.${name}`, message }],
    });
  }
}

/** Returns what all calls of a driver share. Slots are per driver: one customer's ingest must not delay another's. */
function sharedTarget(hosted: HostedService): Pick<CallTarget, "hosted" | "endpoint" | "slots"> {
  checkLimits(hosted);
  return { hosted, endpoint: hosted.endpoint, slots: new Semaphore(hosted.concurrency ?? DEFAULT_CONCURRENCY) };
}
