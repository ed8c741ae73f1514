import { Counter, Histogram, type Registry } from "prom-client";
import type { EventBus } from "../../events/event-bus.js";

/** Upper bounds of latencies in seconds, from a keyword search in memory to a call of a language model. */
const SEARCH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const MODES = ["semantic", "keyword", "hybrid"] as const;
const OUTCOMES = ["ok", "failed", "aborted"] as const;
/** Any other method is counted as `other`: clients choose it. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Counts searches, calls of providers and HTTP requests from their events. Dispose the result to stop. */
export function countEvents(events: EventBus, registry: Registry): Disposable {
  const subscriptions = [
    countSearches(events, registry),
    ...countProviderCalls(events, registry),
    countRequests(events, registry),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

function countSearches(events: EventBus, registry: Registry): Disposable {
  const registers = [registry];
  const searches = new Counter({
    name: "lorebase_searches_total",
    help: "Searches by mode and outcome.",
    labelNames: ["mode", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "lorebase_search_duration_seconds",
    help: "Duration of searches by mode, whatever their outcome.",
    labelNames: ["mode"],
    buckets: SEARCH_BUCKETS,
    registers,
  });
  for (const mode of MODES) {
    durations.zero({ mode });
    for (const outcome of OUTCOMES) searches.inc({ mode, outcome }, 0);
  }
  return events.on("search.ended", ({ mode, outcome, durationMs }) => {
    searches.inc({ mode, outcome });
    durations.observe({ mode }, durationMs / 1000);
  });
}

function countProviderCalls(events: EventBus, registry: Registry): readonly Disposable[] {
  const registers = [registry];
  const calls = new Counter({
    name: "lorebase_provider_calls_total",
    help: "Calls of hosted models and vector stores, each with all its attempts.",
    labelNames: ["provider", "operation", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "lorebase_provider_call_duration_seconds",
    help: "Duration of calls of providers, with the waits between attempts.",
    labelNames: ["provider", "operation"],
    buckets: CALL_BUCKETS,
    registers,
  });
  const retries = new Counter({
    name: "lorebase_provider_retries_total",
    help: "Failed attempts that were repeated.",
    labelNames: ["provider", "operation"],
    registers,
  });
  const tokens = new Counter({
    name: "lorebase_provider_tokens_total",
    help: "Tokens that providers have reported.",
    labelNames: ["provider", "operation", "type"],
    registers,
  });
  return [
    events.on("provider.call", ({ provider, operation, outcome, durationMs, usage }) => {
      calls.inc({ provider, operation, outcome });
      durations.observe({ provider, operation }, durationMs / 1000);
      const { inputTokens = 0, outputTokens = 0 } = usage;
      if (inputTokens > 0) tokens.inc({ provider, operation, type: "input" }, inputTokens);
      if (outputTokens > 0) tokens.inc({ provider, operation, type: "output" }, outputTokens);
    }),
    events.on("provider.retry", ({ provider, operation }) => retries.inc({ provider, operation })),
  ];
}

function countRequests(events: EventBus, registry: Registry): Disposable {
  const registers = [registry];
  const requests = new Counter({
    name: "lorebase_http_requests_total",
    help: "Answered HTTP requests by template of the path and status.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "lorebase_http_request_duration_seconds",
    help: "Time until the response to an HTTP request was ready to be sent.",
    labelNames: ["method", "route"],
    buckets: SEARCH_BUCKETS,
    registers,
  });
  return events.on("http.request", ({ method: given, route: template, status, durationMs }) => {
    const method = METHODS.includes(given) ? given : "other";
    const route = template ?? "none";
    requests.inc({ method, route, status });
    durations.observe({ method, route }, durationMs / 1000);
  });
}
