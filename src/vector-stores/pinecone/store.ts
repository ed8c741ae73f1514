import type { Index } from "@pinecone-database/pinecone";
import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { VectorMatch, VectorStore } from "../../interfaces/vector-store.js";
import type { Scope } from "../../types.js";
import { type ZodType, z } from "../../vendor/zod.js";
import { callVendor, unreadable } from "../hosted/call-vendor.js";
import { standIn } from "../hosted/direction.js";
import { filterCondition } from "../hosted/filter-condition.js";
import { type NearestRequest, nearest, vendorId } from "../hosted/nearest.js";
import { packRecords } from "../hosted/pack-records.js";
import { refuseLongBounds } from "../hosted/refuse-long-bounds.js";
import { scopeName } from "../hosted/scope-name.js";
import { LONGEST_BOUND } from "./string-order.js";
import { toRecord } from "./to-record.js";
import { type PineconeFilter, TOKENS, translateFilter } from "./translate-filter.js";

export interface PineconeStoreOptions {
  readonly provider: string;
  readonly apiKey: string;
  /** As in `https://docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
  readonly fetch: typeof globalThis.fetch;
  /** The SDK's. */
  readonly Index: typeof Index;
}

const UPSERT_LIMITS = { maxRecords: 1000, maxBytes: 2_000_000 };
const MOST_MATCHES = 10_000;
/** Ids of one deletion, and of one look at what can be seen. */
const MOST_IDS = 1000;
/** Ids of one page of a list. */
const LISTED = 100;
/** By which vectors of length 1 are compared alike. */
const METRICS = ["cosine", "dotproduct"];

const done = z.object({});
const upserted = z.object({ upsertedCount: z.int() });
const found = z.object({
  matches: z.array(z.object({ id: z.string(), score: z.number() })).default([]),
  usage: z.object({ readUnits: z.number().optional() }).optional(),
});
const listed = z.object({
  vectors: z.array(z.object({ id: z.string() })).default([]),
  pagination: z.object({ next: z.string().optional() }).nullish(),
});
const stats = z.object({ dimension: z.int().optional(), metric: z.string().optional() });

/** Vectors in an index of Pinecone's, each scope in a namespace of its own, with what filters need as tokens and numbers. */
export function pineconeStore({ provider, apiKey, indexHost, fetch, Index }: PineconeStoreOptions): VectorStore {
  let dimensions: number | null = null;

  function call<Answer>(
    answer: ZodType<Answer>,
    options: HostedCallOptions | undefined,
    send: (index: Index) => Promise<unknown>,
    whenMissing?: Answer,
  ): Promise<Answer> {
    return callVendor({
      vendor: "Pinecone",
      apiKey,
      fetch,
      signal: options?.signal,
      answer,
      ...(whenMissing !== undefined && { whenMissing }),
      send: (fetchApi) => send(new Index({ host: indexHost }, { apiKey, fetchApi, maxRetries: 0 })),
    });
  }

  async function matches(
    scope: Scope,
    { direction, topK, kind }: NearestRequest,
    filter: PineconeFilter | null,
    options: HostedCallOptions | undefined,
  ): Promise<readonly VectorMatch[]> {
    const conditions = [...(filter ? [filter] : []), ...(kind === "both" ? [] : [{ [TOKENS]: { $in: [kind] } }])];
    const request = {
      namespace: scopeName(scope),
      vector: [...direction],
      topK: Math.min(topK, MOST_MATCHES),
      ...(conditions.length > 0 && { filter: conditions.length === 1 ? conditions[0]! : { $and: conditions } }),
    };
    const answer = await call(found, options, (index) => index.query(request), { matches: [] });
    if (answer.matches.length > request.topK) throw unreadable("Pinecone", "more matches than were asked for");
    options?.onUsage?.({ units: answer.usage?.readUnits ?? 0 });
    return answer.matches.map(({ id, score }) => ({ id, similarity: score }));
  }

  async function idsOf(scope: Scope, prefix: string, options: HostedCallOptions | undefined): Promise<string[]> {
    const ids: string[] = [];
    let next: string | undefined;
    do {
      const page = { namespace: scopeName(scope), prefix, limit: LISTED, ...(next && { paginationToken: next }) };
      const answer = await call(listed, options, (index) => index.listPaginated(page), { vectors: [] });
      ids.push(...answer.vectors.map(({ id }) => id));
      next = answer.pagination?.next;
    } while (next);
    return ids;
  }

  return {
    provider,
    hosted: { endpoint: indexHost },
    maxTopK: MOST_MATCHES,

    checkFilter,

    async check(wanted, options) {
      const index = await call(stats, options, (api) => api.describeIndexStats());
      if (index.dimension !== undefined && index.dimension !== wanted) {
        throw refusal(`The index has ${index.dimension} dimensions and the embedder ${wanted}.`);
      }
      if (index.metric !== undefined && !METRICS.includes(index.metric)) {
        throw refusal(`The index compares by ${index.metric}; it must be made with the metric cosine or dotproduct.`);
      }
    },

    async upsert(scope, records, options) {
      dimensions = records[0]?.vector.length ?? dimensions;
      const namespace = scopeName(scope);
      for (const vectors of packRecords(records.map(toRecord), UPSERT_LIMITS)) {
        const { upsertedCount } = await call(upserted, options, (index) =>
          index.upsert({ namespace, records: vectors }),
        );
        if (upsertedCount !== vectors.length) {
          throw unreadable("Pinecone", `${upsertedCount} of ${vectors.length} records were written`);
        }
      }
    },

    async query(scope, { vector, topK, filter }, options) {
      options?.signal?.throwIfAborted();
      if (filter !== null) checkFilter(filter);
      const condition = filter === null ? true : filterCondition(filter);
      if (condition === false) return [];
      const translated = condition === true ? null : translateFilter(condition);
      return nearest({ vector, topK }, (request) => matches(scope, request, translated, options));
    },

    async findMissing(scope, ids, options) {
      const { dimension = 1 } = dimensions
        ? { dimension: dimensions }
        : await call(stats, options, (index) => index.describeIndexStats());
      const missing: string[] = [];
      for (const { generation, first, last, members } of runsOf(ids)) {
        const filter = { $and: [{ generation: { $eq: generation } }, { n: { $gte: first } }, { n: { $lte: last } }] };
        const request: NearestRequest = { direction: standIn(dimension), topK: MOST_IDS, kind: "both" };
        const seen = new Set((await matches(scope, request, filter, options)).map(({ id }) => id));
        missing.push(...members.filter((id) => !seen.has(vendorId(id, false)) && !seen.has(vendorId(id, true))));
      }
      return missing;
    },

    async delete(scope, target, options) {
      const namespace = scopeName(scope);
      if (target === "all") {
        await call(done, options, (index) => index.deleteAll({ namespace }), {});
        return;
      }
      const { documentId, generation, ids } = target;
      // What was written and cannot be seen yet is in no list: whoever knows the ids names them.
      const meant = ids
        ? ids.flatMap((id) => [vendorId(id, false), vendorId(id, true)])
        : await idsOf(scope, generation === undefined ? `${documentId}.` : `${documentId}.${generation}.`, options);
      for (let start = 0; start < meant.length; start += MOST_IDS) {
        const some = meant.slice(start, start + MOST_IDS);
        await call(done, options, (index) => index.deleteMany({ namespace, ids: some }), {});
      }
    },
  };
}

function checkFilter(filter: FilterNode): void {
  refuseLongBounds(filter, "Pinecone", LONGEST_BOUND);
}

function refusal(reason: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `vectorStoreConfig.indexHost: ${reason}`, {
    issues: [{ field: "vectorStoreConfig.indexHost", message: reason }],
  });
}

interface Run {
  /** `<documentId>.<generation>`. */
  readonly generation: string;
  readonly first: number;
  readonly last: number;
  readonly members: readonly string[];
}

/** Ids of one generation with numbers that one query reaches. */
function runsOf(ids: readonly string[]): readonly Run[] {
  const groups = new Map<string, { generation: string; numbers: number[]; members: string[] }>();
  for (const id of ids) {
    const dot = id.lastIndexOf(".");
    const generation = id.slice(0, dot);
    const number = Number(id.slice(dot + 1));
    const key = `${generation} ${Math.floor(number / MOST_IDS)}`;
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
