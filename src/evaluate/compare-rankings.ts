import { KnowledgeBaseError } from "../errors.js";
import type { SampledQuery } from "../storage/records/sampled-queries.js";
import type { CallOptions } from "../types.js";
import { getOrCreate } from "../util/get-or-create.js";
import { bootstrap, type ConfidenceInterval } from "./bootstrap.js";
import type { ModelHandles } from "./compare-models.js";
import type { AnyHit } from "./evaluated-namespace.js";
import { normalizeClicked } from "./questions-from-clicks.js";
import { AGREEMENT_DEPTH, overlap, rankBiasedOverlap } from "./rank-agreement.js";
import type { EvaluationSetting } from "./settings.js";

/** The number of queries that are listed because their hits differ the most. */
const MAX_LISTED = 10;
/** The number of hits of each model that are listed with such a query. */
const LISTED_HITS = 3;
/** The number of characters of a hit that are listed. */
const LISTED_CHARACTERS = 200;

/** The errors of a model or a store that are about the query, unless they are retryable. */
const REFUSALS: ReadonlySet<string> = new Set(["provider_failed", "store_failed", "invalid_input"]);

/** How far two models agree on the queries of a sample. It doesn't say which of them is better. */
export interface RankingComparison {
  /** The name of the setting. */
  readonly name: string;
  /** The share of the first ten hits that both models find, with its 95 % confidence interval: 1 if all are the same, in any order. */
  readonly overlap: ConfidenceInterval;
  /**
   * The rank-biased overlap of the first ten hits (Webber, Moffat and Zobel 2010; p = 0.9), 0 to 1, in which the first ranks
   * count most: 1 if all are the same in the same order.
   */
  readonly rankBiasedOverlap: ConfidenceInterval;
  /** The share of the queries whose first hit is the same. */
  readonly sameFirstHit: ConfidenceInterval;
  /** The number of the queries that are left out because a model or a store refused a search for them. */
  readonly failed: number;
  /** The number of the queries for which each model finds nothing. */
  readonly withoutHits: { readonly current: number; readonly other: number };
  /** The queries whose first ten hits differ the most, by rank-biased overlap, at most ten. */
  readonly mostDifferent: readonly DifferingQuery[];
}

/** A query for which two models find different hits. */
export interface DifferingQuery {
  readonly query: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
  /** How often the query is in the sample, upper and lower case and white space aside. */
  readonly times: number;
  readonly overlap: number;
  readonly rankBiasedOverlap: number;
  /** The first three hits of the model that searches use. */
  readonly current: readonly ListedHit[];
  /** The first three hits of the other model. */
  readonly other: readonly ListedHit[];
}

export interface ListedHit {
  readonly id: string;
  readonly documentId: string;
  /** The first 200 characters. */
  readonly text: string;
}

interface DistinctQuery extends SampledQuery {
  times: number;
}

interface ComparedQuery extends DifferingQuery {
  readonly sameFirstHit: number;
  readonly isSame: boolean;
}

/**
 * Searches for the queries of a sample by both models, and tells how far the hits are the same. Leaves out those that one of
 * them refuses, such as because they are too long for it.
 * @throws KnowledgeBaseError the errors of `search` that another query would have too, and that of the last query if none is left
 */
export async function compareRankings(
  handles: ModelHandles,
  sample: readonly SampledQuery[],
  { settings, seed, signal }: CallOptions & { readonly settings: readonly EvaluationSetting[]; readonly seed: number },
): Promise<readonly RankingComparison[]> {
  const distinct = new Map<string, DistinctQuery>();
  for (const { tenantId, query } of sample) {
    const key = JSON.stringify([tenantId, normalizeClicked(query)]);
    getOrCreate(distinct, key, () => ({ tenantId, query, times: 0 })).times++;
  }
  const comparisons: RankingComparison[] = [];
  for (const setting of settings) {
    const compared: ComparedQuery[] = [];
    let [failed, failure]: [number, unknown] = [0, null];
    for (const query of distinct.values()) {
      try {
        compared.push(await compareQuery(handles, query, setting, signal));
      } catch (error) {
        if (signal?.aborted || !isRefused(error)) throw error;
        failed += query.times;
        failure = error;
      }
    }
    if (compared.length === 0) throw failure;
    comparisons.push({ ...(await summarize(setting.name, compared, seed)), failed });
  }
  return comparisons;
}

function isRefused(error: unknown): boolean {
  // A driver may throw anything.
  return !KnowledgeBaseError.is(error) || (REFUSALS.has(error.code) && !error.retryable);
}

async function compareQuery(
  handles: ModelHandles,
  { tenantId, query, times }: DistinctQuery,
  { name, topK = AGREEMENT_DEPTH, ...setting }: EvaluationSetting,
  signal: AbortSignal | undefined,
): Promise<ComparedQuery> {
  const options = { ...setting, topK: Math.min(topK, AGREEMENT_DEPTH), signal };
  const current = await handles.current(tenantId).search(query, options);
  const other = await handles.other(tenantId).search(query, options);
  const [ids, otherIds] = [current.map(({ id }) => id), other.map(({ id }) => id)];
  return {
    ...{ query, tenantId, times },
    overlap: overlap(ids, otherIds),
    rankBiasedOverlap: rankBiasedOverlap(ids, otherIds),
    sameFirstHit: ids[0] === otherIds[0] ? 1 : 0,
    isSame: ids.length === otherIds.length && ids.every((id, index) => id === otherIds[index]),
    current: current.slice(0, LISTED_HITS).map(toListed),
    other: other.slice(0, LISTED_HITS).map(toListed),
  };
}

function toListed({ id, text, metadata }: AnyHit): ListedHit {
  return {
    id,
    documentId: String(metadata?.documentId),
    text: text.slice(0, LISTED_CHARACTERS).toWellFormed(),
  };
}

async function summarize(
  name: string,
  queries: readonly ComparedQuery[],
  seed: number,
): Promise<Omit<RankingComparison, "failed">> {
  // Each time that a query was asked counts.
  const estimate = (measure: "overlap" | "rankBiasedOverlap" | "sameFirstHit") =>
    bootstrap(
      queries.flatMap((query) => Array<number>(query.times).fill(query[measure])),
      seed,
    );
  const countWithout = (model: "current" | "other") =>
    queries.reduce((sum, query) => sum + (query[model].length === 0 ? query.times : 0), 0);
  return {
    name,
    overlap: await estimate("overlap"),
    rankBiasedOverlap: await estimate("rankBiasedOverlap"),
    sameFirstHit: await estimate("sameFirstHit"),
    withoutHits: { current: countWithout("current"), other: countWithout("other") },
    mostDifferent: queries
      .filter(({ isSame }) => !isSame)
      .sort((a, b) => a.rankBiasedOverlap - b.rankBiasedOverlap || b.times - a.times)
      .slice(0, MAX_LISTED)
      .map(({ sameFirstHit, isSame, ...query }) => query),
  };
}
