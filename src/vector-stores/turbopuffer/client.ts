import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import { KnowledgeBaseError } from "../../errors.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { DeleteTarget, VectorMatch } from "../../interfaces/vector-store.js";
import { z } from "../../vendor/zod.js";
import { type CallVendor, vendorCaller } from "../hosted/call-vendor.js";
import type { FilterCondition } from "../hosted/filter-condition.js";
import type { VendorClient } from "../hosted/hosted-store.js";
import type { NearestRequest } from "../hosted/nearest-neighbours.js";
import { rangeAttributes, withKnownAttributes } from "./known-attributes.js";
import { schemaOf, type TurbopufferRow, toRow } from "./to-row.js";
import { MAX_BOUND_BYTES, type TurbopufferFilter, translateFilter } from "./translate-filter.js";

export interface TurbopufferClientOptions {
  readonly apiKey: string;
  /** The vendor's region, such as `aws-us-east-1`. */
  readonly region: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's client class. */
  readonly Turbopuffer: typeof Turbopuffer;
}

type Options = HostedCallOptions | undefined;
type Namespace = ReturnType<Turbopuffer["namespace"]>;

const MAX_DIMENSIONS = 10_752;
const BASE_URL = "https://{region}.turbopuffer.com";
/** The longest possible timeout, since the engine sets its own. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;
/** The engine retries. Without `prefer`, responses are never asynchronous. */
const REQUEST_OPTIONS = { maxRetries: 0, headers: { prefer: null } };

const deleteResponseSchema = z.object({ rows_remaining: z.boolean().optional() });
const writeResponseSchema = z.object({ rows_affected: z.int(), rows_upserted: z.int().optional() });
const queryResponseSchema = z.object({
  rows: z.array(z.object({ id: z.string(), $dist: z.number() })),
  billing: z.object({ billable_logical_bytes_queried: z.number().optional() }).optional(),
});
const schemaResponseSchema = z.record(z.string(), z.unknown());
const namespacesResponseSchema = z.object({ namespaces: z.array(z.unknown()) });

/** Stores vectors in Turbopuffer, with tokens, numbers and strings for filters. */
export class TurbopufferClient implements VendorClient<TurbopufferRow, TurbopufferFilter> {
  readonly vendor = "Turbopuffer";
  /** A request may have 256 MB, but a namespace accepts only 32 MB per second. */
  readonly upsertLimits = { maxRecords: 10_000, maxBytes: 32_000_000 };
  readonly maxMatches = 10_000;
  readonly maxBoundBytes = MAX_BOUND_BYTES;
  readonly endpoint: string;
  readonly toRow = toRow;
  readonly translateFilter = translateFilter;
  readonly #call: CallVendor<Turbopuffer>;

  constructor({ Turbopuffer: Sdk, apiKey, region, fetch }: TurbopufferClientOptions) {
    this.endpoint = BASE_URL.replace("{region}", region);
    const settings = { baseURL: BASE_URL, maxRetries: 0, timeout: SDK_TIMEOUT_MS, logLevel: "off" } as const;
    const sdk = new Sdk({ apiKey, region, fetch, ...settings });
    this.#call = vendorCaller({ vendor: this.vendor, apiKey, fetch }, (recordingFetch) =>
      sdk.withOptions({ fetch: recordingFetch }),
    );
  }

  async check(dimensions: number, options: Options): Promise<void> {
    if (dimensions > MAX_DIMENSIONS) {
      const message = `Turbopuffer supports up to ${MAX_DIMENSIONS} dimensions, but the embedder has ${dimensions}.`;
      throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "vectorStoreConfig", message }] });
    }
    await this.#call(namespacesResponseSchema, options, (api) => api.namespaces({ page_size: 1 }, REQUEST_OPTIONS));
  }

  async write(name: string, rows: TurbopufferRow[], options: Options): Promise<number> {
    const request = { upsert_rows: rows, distance_metric: "cosine_distance", schema: schemaOf(rows) } as const;
    const response = await this.#call(writeResponseSchema, options, (api) =>
      api.namespace(name).write(request, REQUEST_OPTIONS),
    );
    return response.rows_upserted ?? response.rows_affected;
  }

  async find(
    name: string,
    { direction, topK, kind }: NearestRequest,
    filter: TurbopufferFilter | null,
    options: Options,
  ): Promise<readonly VectorMatch[]> {
    const kindFilters: TurbopufferFilter[] = kind === "both" ? [] : [["tokens", "Contains", kind]];
    const filters = [...(filter ? [filter] : []), ...kindFilters];
    const request: Parameters<Namespace["query"]>[0] = {
      rank_by: ["vector", "ANN", [...direction]],
      top_k: topK,
      consistency: { level: "strong" },
      ...(filters.length > 0 && { filters: filters.length === 1 ? filters[0]! : ["And", filters] }),
    };
    const query = (api: Turbopuffer) => api.namespace(name).query(request, REQUEST_OPTIONS);
    const response = await this.#call(queryResponseSchema, options, query, { rows: [] });
    options?.onUsage?.({ units: response.billing?.billable_logical_bytes_queried ?? 0 });
    return response.rows.map(({ id, $dist }) => ({ id, similarity: 1 - $dist }));
  }

  /** Removes attributes that no row has ever had from a condition, because filtering by them may be an error. */
  async simplify(
    name: string,
    condition: FilterCondition,
    error: unknown,
    options: Options,
  ): Promise<FilterCondition | boolean> {
    const attributes = rangeAttributes(condition);
    if (attributes.length === 0 || !KnowledgeBaseError.is(error, "store_failed") || error.retryable) throw error;
    const schema = await this.#call(
      schemaResponseSchema,
      options,
      (api) => api.namespace(name).schema({}, REQUEST_OPTIONS),
      {},
    );
    const isKnown = (attribute: string) => Object.hasOwn(schema, attribute);
    if (attributes.every(isKnown)) throw error;
    return withKnownAttributes(condition, isKnown);
  }

  async delete(name: string, target: DeleteTarget, options: Options): Promise<void> {
    if (target === "all") {
      await this.#call(deleteResponseSchema, options, (api) => api.namespace(name).deleteAll({}, REQUEST_OPTIONS), {});
      return;
    }
    const { documentId, generation } = target;
    const document: TurbopufferFilter = ["document", "Eq", documentId];
    const filter: TurbopufferFilter =
      generation === undefined ? document : ["And", [document, ["generation", "Eq", generation]]];
    const request = { delete_by_filter: filter, delete_by_filter_allow_partial: true };
    const write = (api: Turbopuffer) => api.namespace(name).write(request, REQUEST_OPTIONS);
    let hasMore = true;
    while (hasMore) {
      hasMore = (await this.#call(deleteResponseSchema, options, write, {})).rows_remaining ?? false;
    }
  }
}
