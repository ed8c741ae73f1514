import type { Index } from "@pinecone-database/pinecone";
import { KnowledgeBaseError } from "../../errors.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { DeleteTarget, VectorMatch } from "../../interfaces/vector-store.js";
import { z } from "../../vendor/zod.js";
import { type CallVendor, vendorCaller } from "../hosted/call-vendor.js";
import type { VendorClient } from "../hosted/hosted-store.js";
import { type NearestRequest, vendorId } from "../hosted/nearest-neighbours.js";
import { zeroVectorPlaceholder } from "../hosted/normalize.js";
import { toIdRanges } from "./id-ranges.js";
import { MAX_BOUND_BYTES } from "./ordered-numbers.js";
import { type PineconeRecord, toRecord } from "./to-record.js";
import { type PineconeFilter, TOKENS_FIELD, translateFilter } from "./translate-filter.js";

export interface PineconeClientOptions {
  readonly apiKey: string;
  /** The URL of the index, such as `https://docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's `Index` class. */
  readonly Index: typeof Index;
}

type Options = HostedCallOptions | undefined;

/** Metrics that are equivalent for vectors of length 1. */
const SUPPORTED_METRICS = ["cosine", "dotproduct"];
/** Maximum ids per deletion and per visibility check. */
const MAX_IDS = 1000;
/** Ids per page of a list. */
const LIST_PAGE_SIZE = 100;

const emptyResponseSchema = z.object({});
const upsertResponseSchema = z.object({ upsertedCount: z.int() });
const queryResponseSchema = z.object({
  matches: z.array(z.object({ id: z.string(), score: z.number() })).default([]),
  usage: z.object({ readUnits: z.number().optional() }).optional(),
});
const listResponseSchema = z.object({
  vectors: z.array(z.object({ id: z.string() })).default([]),
  pagination: z.object({ next: z.string().optional() }).nullish(),
});
const statsResponseSchema = z.object({ dimension: z.int().optional(), metric: z.string().optional() });

/** Stores vectors in a Pinecone index, with tokens and numbers for filters. */
export class PineconeClient implements VendorClient<PineconeRecord, PineconeFilter> {
  readonly vendor = "Pinecone";
  readonly upsertLimits = { maxRecords: 1000, maxBytes: 2_000_000 };
  readonly maxMatches = 10_000;
  readonly maxBoundBytes = MAX_BOUND_BYTES;
  readonly endpoint: string;
  readonly toRow = toRecord;
  readonly translateFilter = translateFilter;
  readonly #call: CallVendor<Index>;
  #dimensions: number | undefined;

  constructor({ apiKey, indexHost, fetch, Index }: PineconeClientOptions) {
    this.endpoint = indexHost;
    this.#call = vendorCaller(
      { vendor: this.vendor, apiKey, fetch },
      (fetchApi) => new Index({ host: indexHost }, { apiKey, fetchApi, maxRetries: 0 }),
    );
  }

  async check(dimensions: number, options: Options): Promise<void> {
    const { dimension, metric } = await this.#readStats(options);
    if (dimension !== undefined && dimension !== dimensions) {
      throw invalidIndex(`The index has ${dimension} dimensions, but the embedder has ${dimensions}.`);
    }
    if (metric !== undefined && !SUPPORTED_METRICS.includes(metric)) {
      throw invalidIndex(`The index has the metric ${metric}. Create one with the metric cosine or dotproduct.`);
    }
  }

  async write(namespace: string, records: PineconeRecord[], options: Options): Promise<number> {
    this.#dimensions = records[0]?.values.length ?? this.#dimensions;
    const request = { namespace, records };
    return (await this.#call(upsertResponseSchema, options, (index) => index.upsert(request))).upsertedCount;
  }

  async find(
    namespace: string,
    { direction, topK, kind }: NearestRequest,
    filter: PineconeFilter | null,
    options: Options,
  ): Promise<readonly VectorMatch[]> {
    const conditions = [...(filter ? [filter] : []), ...(kind === "both" ? [] : [{ [TOKENS_FIELD]: { $in: [kind] } }])];
    const request = {
      namespace,
      vector: [...direction],
      topK,
      ...(conditions.length > 0 && { filter: conditions.length === 1 ? conditions[0]! : { $and: conditions } }),
    };
    const response = await this.#call(queryResponseSchema, options, (index) => index.query(request), { matches: [] });
    options?.onUsage?.({ units: response.usage?.readUnits ?? 0 });
    return response.matches.map(({ id, score }) => ({ id, similarity: score }));
  }

  async findMissing(namespace: string, ids: readonly string[], options: Options): Promise<readonly string[]> {
    this.#dimensions ??= (await this.#readStats(options)).dimension ?? 1;
    const request: NearestRequest = { direction: zeroVectorPlaceholder(this.#dimensions), topK: MAX_IDS, kind: "both" };
    const missing: string[] = [];
    for (const { generation, first, last, ids: expectedIds } of toIdRanges(ids, MAX_IDS)) {
      const filter = { $and: [{ generation: { $eq: generation } }, { n: { $gte: first } }, { n: { $lte: last } }] };
      const found = new Set((await this.find(namespace, request, filter, options)).map(({ id }) => id));
      missing.push(...expectedIds.filter((id) => !found.has(vendorId(id, false)) && !found.has(vendorId(id, true))));
    }
    return missing;
  }

  async delete(namespace: string, target: DeleteTarget, options: Options): Promise<void> {
    if (target === "all") {
      await this.#call(emptyResponseSchema, options, (index) => index.deleteAll({ namespace }), {});
      return;
    }
    const { documentId, generation, ids } = target;
    const prefix = generation === undefined ? `${documentId}.` : `${documentId}.${generation}.`;
    // Lists lack vectors that are not visible yet, so callers pass the ids if they know them.
    const vendorIds = ids
      ? ids.flatMap((id) => [vendorId(id, false), vendorId(id, true)])
      : await this.#listIds(namespace, prefix, options);
    for (let start = 0; start < vendorIds.length; start += MAX_IDS) {
      const request = { namespace, ids: vendorIds.slice(start, start + MAX_IDS) };
      await this.#call(emptyResponseSchema, options, (index) => index.deleteMany(request), {});
    }
  }

  async #listIds(namespace: string, prefix: string, options: Options): Promise<readonly string[]> {
    const ids: string[] = [];
    let paginationToken: string | undefined;
    do {
      const page = { namespace, prefix, limit: LIST_PAGE_SIZE, ...(paginationToken && { paginationToken }) };
      const response = await this.#call(listResponseSchema, options, (index) => index.listPaginated(page), {
        vectors: [],
      });
      ids.push(...response.vectors.map(({ id }) => id));
      paginationToken = response.pagination?.next;
    } while (paginationToken);
    return ids;
  }

  #readStats(options: Options): Promise<z.output<typeof statsResponseSchema>> {
    return this.#call(statsResponseSchema, options, (index) => index.describeIndexStats());
  }
}

function invalidIndex(reason: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `vectorStoreConfig.indexHost: ${reason}`, {
    issues: [{ field: "vectorStoreConfig.indexHost", message: reason }],
  });
}
