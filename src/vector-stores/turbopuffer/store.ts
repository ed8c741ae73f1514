import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { VectorMatch, VectorStore } from "../../interfaces/vector-store.js";
import type { Scope } from "../../types.js";
import { type ZodType, z } from "../../vendor/zod.js";
import { callVendor, unreadable } from "../hosted/call-vendor.js";
import { type FilterCondition, filterCondition } from "../hosted/filter-condition.js";
import { type NearestRequest, nearest } from "../hosted/nearest.js";
import { packRecords } from "../hosted/pack-records.js";
import { refuseLongBounds } from "../hosted/refuse-long-bounds.js";
import { scopeName } from "../hosted/scope-name.js";
import { amongKnown, orderedAttributes } from "./known-attributes.js";
import { schemaOf, toRow } from "./to-row.js";
import { LONGEST_BOUND, type TurbopufferFilter, translateFilter } from "./translate-filter.js";

export interface TurbopufferStoreOptions {
  readonly provider: string;
  readonly apiKey: string;
  /** As in `aws-us-east-1`. */
  readonly region: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's. */
  readonly Turbopuffer: typeof Turbopuffer;
}

/** A request may have 256 MB; a namespace takes 32 MB in a second. */
const UPSERT_LIMITS = { maxRecords: 10_000, maxBytes: 32_000_000 };
const MOST_MATCHES = 10_000;
const MOST_DIMENSIONS = 10_752;
const BASE_URL = "https://{region}.turbopuffer.com";
/** The SDK's own limit of time is out of the way: the engine's is shorter. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Retries are the engine's, and an answer that must be asked for again is none. */
const REQUEST = { maxRetries: 0, headers: { prefer: null } };

type Namespace = ReturnType<Turbopuffer["namespace"]>;

const done = z.object({ rows_remaining: z.boolean().optional() });
const written = z.object({ rows_affected: z.int(), rows_upserted: z.int().optional() });
const found = z.object({
  rows: z.array(z.object({ id: z.string(), $dist: z.number() })),
  billing: z.object({ billable_logical_bytes_queried: z.number().optional() }).optional(),
});
const types = z.record(z.string(), z.unknown());
const namespaces = z.object({ namespaces: z.array(z.unknown()) });

/** Vectors in Turbopuffer, each scope in a namespace of its own, with what filters need as tokens, numbers and strings. */
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
    answer: ZodType<Answer>,
    signal: AbortSignal | undefined,
    send: (client: Turbopuffer) => Promise<unknown>,
    whenMissing?: Answer,
  ): Promise<Answer> {
    return callVendor({
      vendor: "Turbopuffer",
      apiKey,
      fetch,
      signal,
      answer,
      ...(whenMissing !== undefined && { whenMissing }),
      send: (exchange) => send(client.withOptions({ fetch: exchange })),
    });
  }

  async function matches(
    scope: Scope,
    { direction, topK, kind }: NearestRequest,
    filter: TurbopufferFilter | null,
    { signal, onUsage }: HostedCallOptions = {},
  ): Promise<readonly VectorMatch[]> {
    const only: TurbopufferFilter[] = kind === "both" ? [] : [["tokens", "Contains", kind]];
    const filters = [...(filter ? [filter] : []), ...only];
    const request: Parameters<Namespace["query"]>[0] = {
      rank_by: ["vector", "ANN", [...direction]],
      top_k: Math.min(topK, MOST_MATCHES),
      consistency: { level: "strong" },
      ...(filters.length > 0 && { filters: filters.length === 1 ? filters[0]! : ["And", filters] }),
    };
    const answer = await call(found, signal, (api) => api.namespace(scopeName(scope)).query(request, REQUEST), {
      rows: [],
    });
    if (answer.rows.length > topK) throw unreadable("Turbopuffer", "more rows than were asked for");
    onUsage?.({ units: answer.billing?.billable_logical_bytes_queried ?? 0 });
    return answer.rows.map(({ id, $dist }) => ({ id, similarity: 1 - $dist }));
  }

  /** An attribute that no row has had may be an error, so the condition is asked again without such. */
  async function knownAmong(
    scope: Scope,
    condition: FilterCondition,
    error: unknown,
    { signal }: HostedCallOptions = {},
  ): Promise<FilterCondition | boolean> {
    const attributes = orderedAttributes(condition);
    if (attributes.length === 0 || !KnowledgeBaseError.is(error, "store_failed") || error.retryable) throw error;
    const schema = await call(types, signal, (api) => api.namespace(scopeName(scope)).schema({}, REQUEST), {});
    const isKnown = (attribute: string) => Object.hasOwn(schema, attribute);
    if (attributes.every(isKnown)) throw error;
    return amongKnown(condition, isKnown);
  }

  return {
    provider,
    hosted: { endpoint: BASE_URL.replace("{region}", region) },
    maxTopK: MOST_MATCHES,

    checkFilter,

    async check(dimensions, { signal } = {}) {
      if (dimensions > MOST_DIMENSIONS) throw tooMany(dimensions);
      await call(namespaces, signal, (api) => api.namespaces({ page_size: 1 }, REQUEST));
    },

    async upsert(scope, records, { signal } = {}) {
      const name = scopeName(scope);
      for (const rows of packRecords(records.map(toRow), UPSERT_LIMITS)) {
        const { rows_affected, rows_upserted = rows_affected } = await call(written, signal, (api) =>
          api
            .namespace(name)
            .write({ upsert_rows: rows, distance_metric: "cosine_distance", schema: schemaOf(rows) }, REQUEST),
        );
        if (rows_upserted !== rows.length) {
          throw unreadable("Turbopuffer", `${rows_upserted} of ${rows.length} rows were written`);
        }
      }
    },

    async query(scope, { vector, topK, filter }, call) {
      call?.signal?.throwIfAborted();
      if (filter !== null) checkFilter(filter);
      const condition = filter === null ? true : filterCondition(filter);
      if (condition === false) return [];
      const ask = (asked: FilterCondition | true) => {
        const translated = asked === true ? null : translateFilter(asked);
        return nearest({ vector, topK }, (request) => matches(scope, request, translated, call));
      };
      if (condition === true) return ask(true);
      try {
        return await ask(condition);
      } catch (error) {
        const known = await knownAmong(scope, condition, error, call);
        return known === false ? [] : ask(known);
      }
    },

    async delete(scope, target, { signal } = {}) {
      const name = scopeName(scope);
      if (target === "all") {
        await call(done, signal, (api) => api.namespace(name).deleteAll({}, REQUEST), {});
        return;
      }
      const { documentId, generation } = target;
      const document: TurbopufferFilter = ["document", "Eq", documentId];
      const filter: TurbopufferFilter =
        generation === undefined ? document : ["And", [document, ["generation", "Eq", generation]]];
      const write = { delete_by_filter: filter, delete_by_filter_allow_partial: true };
      let left = true;
      while (left) {
        const { rows_remaining = false } = await call(
          done,
          signal,
          (api) => api.namespace(name).write(write, REQUEST),
          {},
        );
        left = rows_remaining;
      }
    },
  };
}

function checkFilter(filter: FilterNode): void {
  refuseLongBounds(filter, "Turbopuffer", LONGEST_BOUND);
}

function tooMany(dimensions: number): KnowledgeBaseError {
  const message = `Turbopuffer keeps vectors of up to ${MOST_DIMENSIONS} dimensions, and the embedder's have ${dimensions}.`;
  return new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "vectorStoreConfig", message }] });
}
