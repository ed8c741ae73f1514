import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { VectorMatch, VectorStore } from "../../interfaces/vector-store.js";
import type { Scope } from "../../types.js";
import { type ZodType, z } from "../../vendor/zod.js";
import { callVendor, invalidResponse } from "../hosted/call-vendor.js";
import { type FilterCondition, filterCondition } from "../hosted/filter-condition.js";
import { type NearestRequest, nearestNeighbours } from "../hosted/nearest-neighbours.js";
import { packRecords } from "../hosted/pack-records.js";
import { refuseLongBounds } from "../hosted/refuse-long-bounds.js";
import { scopeName } from "../hosted/scope-name.js";
import { orderedAttributes, withKnownAttributes } from "./known-attributes.js";
import { schemaOf, toRow } from "./to-row.js";
import { MAX_BOUND_BYTES, type TurbopufferFilter, translateFilter } from "./translate-filter.js";

export interface TurbopufferStoreOptions {
  readonly provider: string;
  readonly apiKey: string;
  /** As in `aws-us-east-1`. */
  readonly region: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's client class. */
  readonly Turbopuffer: typeof Turbopuffer;
}

/** A request may have 256 MB; a namespace accepts 32 MB per second. */
const UPSERT_LIMITS = { maxRecords: 10_000, maxBytes: 32_000_000 };
const MAX_MATCHES = 10_000;
const MAX_DIMENSIONS = 10_752;
const BASE_URL = "https://{region}.turbopuffer.com";
/** Disables the SDK's timeout in favor of the engine's. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** The engine retries. Without `prefer`, responses are never asynchronous. */
const REQUEST = { maxRetries: 0, headers: { prefer: null } };

type Namespace = ReturnType<Turbopuffer["namespace"]>;

const emptyResponse = z.object({ rows_remaining: z.boolean().optional() });
const writeResponse = z.object({ rows_affected: z.int(), rows_upserted: z.int().optional() });
const queryResponse = z.object({
  rows: z.array(z.object({ id: z.string(), $dist: z.number() })),
  billing: z.object({ billable_logical_bytes_queried: z.number().optional() }).optional(),
});
const schemaResponse = z.record(z.string(), z.unknown());
const namespacesResponse = z.object({ namespaces: z.array(z.unknown()) });

/** Stores vectors in Turbopuffer, one namespace per scope, with tokens, numbers and strings for filters. */
export function turbopufferStore(options: TurbopufferStoreOptions): VectorStore {
  const { provider, apiKey, region, fetch } = options;
  const client = new options.Turbopuffer({
    apiKey,
    region,
    baseURL: BASE_URL,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch,
  });

  function call<Answer>(
    schema: ZodType<Answer>,
    signal: AbortSignal | undefined,
    send: (client: Turbopuffer) => Promise<unknown>,
    notFoundResult?: Answer,
  ): Promise<Answer> {
    return callVendor({
      vendor: "Turbopuffer",
      apiKey,
      fetch,
      signal,
      schema,
      ...(notFoundResult !== undefined && { notFoundResult }),
      send: (exchange) => send(client.withOptions({ fetch: exchange })),
    });
  }

  async function queryMatches(
    scope: Scope,
    { direction, topK, kind }: NearestRequest,
    filter: TurbopufferFilter | null,
    { signal, onUsage }: HostedCallOptions = {},
  ): Promise<readonly VectorMatch[]> {
    const only: TurbopufferFilter[] = kind === "both" ? [] : [["tokens", "Contains", kind]];
    const filters = [...(filter ? [filter] : []), ...only];
    const request: Parameters<Namespace["query"]>[0] = {
      rank_by: ["vector", "ANN", [...direction]],
      top_k: Math.min(topK, MAX_MATCHES),
      consistency: { level: "strong" },
      ...(filters.length > 0 && { filters: filters.length === 1 ? filters[0]! : ["And", filters] }),
    };
    const answer = await call(queryResponse, signal, (api) => api.namespace(scopeName(scope)).query(request, REQUEST), {
      rows: [],
    });
    if (answer.rows.length > topK) throw invalidResponse("Turbopuffer", "more rows than requested");
    onUsage?.({ units: answer.billing?.billable_logical_bytes_queried ?? 0 });
    return answer.rows.map(({ id, $dist }) => ({ id, similarity: 1 - $dist }));
  }

  /** Filtering by an attribute that no row has had may be an error. Returns the condition without such attributes. */
  async function dropUnknownAttributes(
    scope: Scope,
    condition: FilterCondition,
    error: unknown,
    { signal }: HostedCallOptions = {},
  ): Promise<FilterCondition | boolean> {
    const attributes = orderedAttributes(condition);
    if (attributes.length === 0 || !KnowledgeBaseError.is(error, "store_failed") || error.retryable) throw error;
    const schema = await call(schemaResponse, signal, (api) => api.namespace(scopeName(scope)).schema({}, REQUEST), {});
    const isKnown = (attribute: string) => Object.hasOwn(schema, attribute);
    if (attributes.every(isKnown)) throw error;
    return withKnownAttributes(condition, isKnown);
  }

  return {
    provider,
    hosted: { endpoint: BASE_URL.replace("{region}", region) },
    maxTopK: MAX_MATCHES,

    checkFilter,

    async check(dimensions, { signal } = {}) {
      if (dimensions > MAX_DIMENSIONS) throw tooManyDimensions(dimensions);
      await call(namespacesResponse, signal, (api) => api.namespaces({ page_size: 1 }, REQUEST));
    },

    async upsert(scope, records, { signal } = {}) {
      const name = scopeName(scope);
      for (const rows of packRecords(records.map(toRow), UPSERT_LIMITS)) {
        const { rows_affected, rows_upserted = rows_affected } = await call(writeResponse, signal, (api) =>
          api
            .namespace(name)
            .write({ upsert_rows: rows, distance_metric: "cosine_distance", schema: schemaOf(rows) }, REQUEST),
        );
        if (rows_upserted !== rows.length) {
          throw invalidResponse("Turbopuffer", `${rows_upserted} of ${rows.length} rows were written`);
        }
      }
    },

    async query(scope, { vector, topK, filter }, call) {
      call?.signal?.throwIfAborted();
      if (filter !== null) checkFilter(filter);
      const condition = filter === null ? true : filterCondition(filter);
      if (condition === false) return [];
      const run = (filtered: FilterCondition | true) => {
        const translated = filtered === true ? null : translateFilter(filtered);
        return nearestNeighbours({ vector, topK }, (request) => queryMatches(scope, request, translated, call));
      };
      if (condition === true) return run(true);
      try {
        return await run(condition);
      } catch (error) {
        const known = await dropUnknownAttributes(scope, condition, error, call);
        return known === false ? [] : run(known);
      }
    },

    async delete(scope, target, { signal } = {}) {
      const name = scopeName(scope);
      if (target === "all") {
        await call(emptyResponse, signal, (api) => api.namespace(name).deleteAll({}, REQUEST), {});
        return;
      }
      const { documentId, generation } = target;
      const document: TurbopufferFilter = ["document", "Eq", documentId];
      const filter: TurbopufferFilter =
        generation === undefined ? document : ["And", [document, ["generation", "Eq", generation]]];
      const write = { delete_by_filter: filter, delete_by_filter_allow_partial: true };
      let hasMore = true;
      while (hasMore) {
        const { rows_remaining = false } = await call(
          emptyResponse,
          signal,
          (api) => api.namespace(name).write(write, REQUEST),
          {},
        );
        hasMore = rows_remaining;
      }
    },
  };
}

function checkFilter(filter: FilterNode): void {
  refuseLongBounds(filter, "Turbopuffer", MAX_BOUND_BYTES);
}

function tooManyDimensions(dimensions: number): KnowledgeBaseError {
  const message = `Turbopuffer supports up to ${MAX_DIMENSIONS} dimensions, but the embedder has ${dimensions}.`;
  return new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "vectorStoreConfig", message }] });
}
