import type { FilterNode } from "../../filter.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import type { DeleteTarget, VectorMatch, VectorRecord, VectorStore } from "../../interfaces/vector-store.js";
import { packBatches } from "../../util/pack-batches.js";
import { invalidResponse } from "./call-vendor.js";
import { type FilterCondition, toFilterCondition } from "./filter-condition.js";
import { type NearestRequest, nearestNeighbours } from "./nearest-neighbours.js";
import { refuseLongBounds } from "./refuse-long-bounds.js";
import { scopeName } from "./scope-name.js";

interface UpsertLimits {
  readonly maxRecords: number;
  /** Maximum size of a whole request. */
  readonly maxBytes: number;
}

/** Bytes reserved for the parts of a request other than records. */
const ENVELOPE_BYTES = 4096;

/** The operations that differ between vendors. A vendor's namespace corresponds to a scope. */
export interface VendorClient<Row, Filter> {
  /** The vendor's name in error messages, such as `Pinecone`. */
  readonly vendor: string;
  readonly endpoint: string;
  readonly upsertLimits: UpsertLimits;
  /** Maximum matches of a query. */
  readonly maxMatches: number;
  /** Maximum UTF-8 bytes of a string that a range filter compares with. */
  readonly maxBoundBytes: number;
  toRow(record: VectorRecord): Row;
  translateFilter(condition: FilterCondition): Filter;
  /** See {@link VectorStore.check}. */
  check(dimensions: number, options: HostedCallOptions | undefined): Promise<void>;
  /** Writes rows and returns how many were written. */
  write(namespace: string, rows: readonly Row[], options: HostedCallOptions | undefined): Promise<number>;
  find(
    namespace: string,
    request: NearestRequest,
    filter: Filter | null,
    options: HostedCallOptions | undefined,
  ): Promise<readonly VectorMatch[]>;
  /**
   * Simplifies the condition of a failed query, for vendors that reject fields without values.
   * @throws the error if the condition did not cause it
   */
  simplify?(
    namespace: string,
    condition: FilterCondition,
    error: unknown,
    options: HostedCallOptions | undefined,
  ): Promise<FilterCondition | boolean>;
  /** See {@link VectorStore.findMissing}. */
  findMissing?(
    namespace: string,
    ids: readonly string[],
    options: HostedCallOptions | undefined,
  ): Promise<readonly string[]>;
  delete(namespace: string, target: DeleteTarget, options: HostedCallOptions | undefined): Promise<void>;
}

/** Creates a store of one vendor, with one of the vendor's namespaces per scope. */
export function hostedStore<Row, Filter>(provider: string, client: VendorClient<Row, Filter>): VectorStore {
  const { vendor, endpoint, maxMatches } = client;
  const checkFilter = (filter: FilterNode) => refuseLongBounds(filter, vendor, client.maxBoundBytes);
  return {
    provider,
    hosted: { endpoint },
    maxTopK: maxMatches,

    check: (dimensions, options) => client.check(dimensions, options),

    checkFilter,

    async upsert(scope, records, options) {
      const rows = records.map((record) => client.toRow(record));
      for (const batch of packRows(rows, client.upsertLimits)) {
        const written = await client.write(scopeName(scope), batch, options);
        if (written !== batch.length) {
          throw invalidResponse(vendor, `${written} of ${batch.length} records were written`);
        }
      }
    },

    ...(client.findMissing && {
      findMissing: (scope, ids, options) => client.findMissing!(scopeName(scope), ids, options),
    }),

    async query(scope, { vector, topK, filter }, options) {
      options?.signal?.throwIfAborted();
      if (filter !== null) checkFilter(filter);
      const namespace = scopeName(scope);
      const run = async (condition: FilterCondition | boolean) => {
        if (condition === false) return [];
        const translated = condition === true ? null : client.translateFilter(condition);
        return nearestNeighbours({ vector, topK: Math.min(topK, maxMatches) }, async (request) => {
          const matches = await client.find(namespace, request, translated, options);
          if (matches.length > request.topK) throw invalidResponse(vendor, "more matches than requested");
          return matches;
        });
      };
      const condition = filter === null ? true : toFilterCondition(filter);
      if (typeof condition === "boolean" || !client.simplify) return run(condition);
      try {
        return await run(condition);
      } catch (error) {
        return run(await client.simplify(namespace, condition, error, options));
      }
    },

    delete: (scope, target, options) => client.delete(scopeName(scope), target, options),
  };
}

/** Splits rows, in order, into as few requests as the limits allow. */
function packRows<Row>(rows: readonly Row[], { maxRecords, maxBytes }: UpsertLimits): readonly Row[][] {
  const sizes = rows.map((row) => Buffer.byteLength(JSON.stringify(row)) + 1);
  const requests = packBatches(sizes, { maxItems: maxRecords, maxWeight: maxBytes - ENVELOPE_BYTES });
  return requests.map(([start, end]) => rows.slice(start, end));
}
