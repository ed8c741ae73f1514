import type { Index } from "@pinecone-database/pinecone";
import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { VectorMatch, VectorStore } from "../../interfaces/vector-store.js";
import type { Scope } from "../../types.js";
import { type ZodType, z } from "../../vendor/zod.js";
import { callVendor, invalidResponse } from "../hosted/call-vendor.js";
import { filterCondition } from "../hosted/filter-condition.js";
import { type NearestRequest, nearestNeighbours, vendorId } from "../hosted/nearest-neighbours.js";
import { zerosPlaceholder } from "../hosted/normalize.js";
import { packRecords } from "../hosted/pack-records.js";
import { refuseLongBounds } from "../hosted/refuse-long-bounds.js";
import { scopeName } from "../hosted/scope-name.js";
import { MAX_BOUND_BYTES } from "./ordered-numbers.js";
import { toRecord } from "./to-record.js";
import { type PineconeFilter, TOKENS, translateFilter } from "./translate-filter.js";

export interface PineconeStoreOptions {
  readonly provider: string;
  readonly apiKey: string;
  /** As in `https://docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's class. */
  readonly Index: typeof Index;
}

const UPSERT_LIMITS = { maxRecords: 1000, maxBytes: 2_000_000 };
const MAX_MATCHES = 10_000;
/** Ids per deletion and per visibility check. */
const MAX_IDS = 1000;
/** Ids per page of a list. */
const LIST_PAGE_SIZE = 100;
/** Metrics that are equivalent for vectors of length 1. */
const SUPPORTED_METRICS = ["cosine", "dotproduct"];

const emptyResponse = z.object({});
const upsertResponse = z.object({ upsertedCount: z.int() });
const queryResponse = z.object({
  matches: z.array(z.object({ id: z.string(), score: z.number() })).default([]),
  usage: z.object({ readUnits: z.number().optional() }).optional(),
});
const listResponse = z.object({
  vectors: z.array(z.object({ id: z.string() })).default([]),
  pagination: z.object({ next: z.string().optional() }).nullish(),
});
const statsResponse = z.object({ dimension: z.int().optional(), metric: z.string().optional() });

/** Stores vectors in a Pinecone index, one namespace per scope, with tokens and numbers for filters. */
export function pineconeStore({ provider, apiKey, indexHost, fetch, Index }: PineconeStoreOptions): VectorStore {
  let dimensions: number | null = null;

  function call<Answer>(
    schema: ZodType<Answer>,
    options: HostedCallOptions | undefined,
    send: (index: Index) => Promise<unknown>,
    notFoundResult?: Answer,
  ): Promise<Answer> {
    return callVendor({
      vendor: "Pinecone",
      apiKey,
      fetch,
      signal: options?.signal,
      schema,
      ...(notFoundResult !== undefined && { notFoundResult }),
      send: (fetchApi) => send(new Index({ host: indexHost }, { apiKey, fetchApi, maxRetries: 0 })),
    });
  }

  async function queryMatches(
    scope: Scope,
    { direction, topK, kind }: NearestRequest,
    filter: PineconeFilter | null,
    options: HostedCallOptions | undefined,
  ): Promise<readonly VectorMatch[]> {
    const conditions = [...(filter ? [filter] : []), ...(kind === "both" ? [] : [{ [TOKENS]: { $in: [kind] } }])];
    const request = {
      namespace: scopeName(scope),
      vector: [...direction],
      topK: Math.min(topK, MAX_MATCHES),
      ...(conditions.length > 0 && { filter: conditions.length === 1 ? conditions[0]! : { $and: conditions } }),
    };
    const answer = await call(queryResponse, options, (index) => index.query(request), { matches: [] });
    if (answer.matches.length > request.topK) throw invalidResponse("Pinecone", "more matches than requested");
    options?.onUsage?.({ units: answer.usage?.readUnits ?? 0 });
    return answer.matches.map(({ id, score }) => ({ id, similarity: score }));
  }

  async function listIds(scope: Scope, prefix: string, options: HostedCallOptions | undefined): Promise<string[]> {
    const ids: string[] = [];
    let next: string | undefined;
    do {
      const page = {
        namespace: scopeName(scope),
        prefix,
        limit: LIST_PAGE_SIZE,
        ...(next && { paginationToken: next }),
      };
      const answer = await call(listResponse, options, (index) => index.listPaginated(page), { vectors: [] });
      ids.push(...answer.vectors.map(({ id }) => id));
      next = answer.pagination?.next;
    } while (next);
    return ids;
  }

  return {
    provider,
    hosted: { endpoint: indexHost },
    maxTopK: MAX_MATCHES,

    checkFilter,

    async check(dimensions, options) {
      const index = await call(statsResponse, options, (api) => api.describeIndexStats());
      if (index.dimension !== undefined && index.dimension !== dimensions) {
        throw invalidIndex(`The index has ${index.dimension} dimensions, but the embedder has ${dimensions}.`);
      }
      if (index.metric !== undefined && !SUPPORTED_METRICS.includes(index.metric)) {
        throw invalidIndex(
          `The index has the metric ${index.metric}. Create one with the metric cosine or dotproduct.`,
        );
      }
    },

    async upsert(scope, records, options) {
      dimensions = records[0]?.vector.length ?? dimensions;
      const namespace = scopeName(scope);
      for (const vectors of packRecords(records.map(toRecord), UPSERT_LIMITS)) {
        const { upsertedCount } = await call(upsertResponse, options, (index) =>
          index.upsert({ namespace, records: vectors }),
        );
        if (upsertedCount !== vectors.length) {
          throw invalidResponse("Pinecone", `${upsertedCount} of ${vectors.length} records were written`);
        }
      }
    },

    async query(scope, { vector, topK, filter }, options) {
      options?.signal?.throwIfAborted();
      if (filter !== null) checkFilter(filter);
      const condition = filter === null ? true : filterCondition(filter);
      if (condition === false) return [];
      const translated = condition === true ? null : translateFilter(condition);
      return nearestNeighbours({ vector, topK }, (request) => queryMatches(scope, request, translated, options));
    },

    async findMissing(scope, ids, options) {
      const { dimension = 1 } = dimensions
        ? { dimension: dimensions }
        : await call(statsResponse, options, (index) => index.describeIndexStats());
      const missing: string[] = [];
      for (const { generation, first, last, members } of groupIds(ids)) {
        const filter = { $and: [{ generation: { $eq: generation } }, { n: { $gte: first } }, { n: { $lte: last } }] };
        const request: NearestRequest = { direction: zerosPlaceholder(dimension), topK: MAX_IDS, kind: "both" };
        const seen = new Set((await queryMatches(scope, request, filter, options)).map(({ id }) => id));
        missing.push(...members.filter((id) => !seen.has(vendorId(id, false)) && !seen.has(vendorId(id, true))));
      }
      return missing;
    },

    async delete(scope, target, options) {
      const namespace = scopeName(scope);
      if (target === "all") {
        await call(emptyResponse, options, (index) => index.deleteAll({ namespace }), {});
        return;
      }
      const { documentId, generation, ids } = target;
      // Lists lack vectors that are not visible yet, so the caller passes their ids if it knows them.
      const vendorIds = ids
        ? ids.flatMap((id) => [vendorId(id, false), vendorId(id, true)])
        : await listIds(scope, generation === undefined ? `${documentId}.` : `${documentId}.${generation}.`, options);
      for (let start = 0; start < vendorIds.length; start += MAX_IDS) {
        const batch = vendorIds.slice(start, start + MAX_IDS);
        await call(emptyResponse, options, (index) => index.deleteMany({ namespace, ids: batch }), {});
      }
    },
  };
}

function checkFilter(filter: FilterNode): void {
  refuseLongBounds(filter, "Pinecone", MAX_BOUND_BYTES);
}

function invalidIndex(reason: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `vectorStoreConfig.indexHost: ${reason}`, {
    issues: [{ field: "vectorStoreConfig.indexHost", message: reason }],
  });
}

interface IdRange {
  /** `<documentId>.<generation>`. */
  readonly generation: string;
  readonly first: number;
  readonly last: number;
  readonly members: readonly string[];
}

/** Groups ids of one generation into ranges that one query covers. */
function groupIds(ids: readonly string[]): readonly IdRange[] {
  const groups = new Map<string, { generation: string; numbers: number[]; members: string[] }>();
  for (const id of ids) {
    const dot = id.lastIndexOf(".");
    const generation = id.slice(0, dot);
    const number = Number(id.slice(dot + 1));
    const key = `${generation} ${Math.floor(number / MAX_IDS)}`;
    const group = groups.get(key) ?? { generation, numbers: [], members: [] };
    group.numbers.push(number);
    group.members.push(id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ generation, numbers, members }) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return { generation, first: sorted[0]!, last: sorted.at(-1)!, members };
  });
}
