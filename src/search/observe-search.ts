import type { EventBus } from "../events/event-bus.js";
import { traced } from "../telemetry/traced.js";
import type { CallOptions, Scope } from "../types.js";
import type { SearchRequest } from "./search-request.js";

interface ObservedSearch extends CallOptions {
  readonly scope: Scope;
  readonly request: SearchRequest;
}

/** Runs a search in a span, and emits an event when it has ended. */
export function observeSearch<Result extends { readonly hits: readonly unknown[] }>(
  events: EventBus,
  { scope, request, signal }: ObservedSearch,
  search: () => Promise<Result>,
): Promise<Result> {
  const { mode, topK } = request;
  const startedAt = performance.now();
  const end = (outcome: "ok" | "failed" | "aborted") =>
    events.emit({ type: "search.ended", mode, outcome, durationMs: performance.now() - startedAt });
  const attributes = {
    "lorebase.namespace.id": scope.namespaceId,
    "lorebase.search.mode": mode,
    "lorebase.search.top_k": topK,
  };
  return traced("lorebase.search", attributes, async (span) => {
    try {
      const result = await search();
      span.setAttribute("lorebase.search.hits", result.hits.length);
      end("ok");
      return result;
    } catch (error) {
      end(signal?.aborted ? "aborted" : "failed");
      throw error;
    }
  });
}
