import { parseFilter } from "lorebase";
import { toFilterCondition } from "#dist/vector-stores/hosted/filter-condition.js";
import { scopeName } from "#dist/vector-stores/hosted/scope-name.js";
import { searchApproximately } from "#dist/vector-stores/pgvector/approximate-search.js";
import { createHnswIndex } from "#dist/vector-stores/pgvector/hnsw-index.js";
import { pgvectorStore } from "#dist/vector-stores/pgvector/vector-store.js";
import type { FilterNode } from "../../src/filter.js";
import type { VectorMatch, VectorRecord } from "../../src/interfaces/vector-store.js";
import type { Scope } from "../../src/types.js";
import type { FilterCondition } from "../../src/vector-stores/hosted/filter-condition.js";
import type { Sessions } from "../../src/vector-stores/pgvector/sessions.js";
import { type Random, seededRandom } from "./random.js";

export interface PgvectorCampaign {
  readonly sessions: Sessions;
  readonly vectors: number;
  readonly dimensions: number;
  /** Queries for each filter. */
  readonly queries: number;
  readonly seed: number;
  /** Directions that vary in few dimensions, as those of texts do, or equally in all. @default "texts" */
  readonly data?: "texts" | "uniform";
}

/** What searches of one kind found. */
export interface SearchFigures {
  readonly search: "as users get it" | "index, else exact" | "index alone";
  /** The share of vectors that match the filter, in percent. */
  readonly percent: number;
  /** The share of the ten nearest that were found. */
  readonly recall: number;
  /** The least number of hits of a query. */
  readonly fewest: number;
  /** How many vectors match, at most ten. */
  readonly expected: number;
  /** The median time of a query. */
  readonly ms: number;
  /** Of queries in the index: how many ended before they had enough candidates. */
  readonly incomplete: number;
}

const SCOPE: Scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: null };
const TOP_K = 10;
const BATCH = 1000;
/** Vectors of texts vary in about as many dimensions. */
const LATENT_DIMENSIONS = 48;
const FILTERS = [
  { percent: 100, key: null },
  { percent: 10, key: "tenth" },
  { percent: 1, key: "hundredth" },
  { percent: 0.1, key: "thousandth" },
] as const;

/** Compares the ten nearest neighbours with those of comparing everything, under filters of several selectivities. */
export async function pgvectorCampaign(campaign: PgvectorCampaign): Promise<{
  readonly buildSeconds: number;
  readonly figures: readonly SearchFigures[];
}> {
  const { sessions, dimensions, queries, seed } = campaign;
  const random = seededRandom(seed);
  const nextVector = vectorSource(campaign, random);
  const records = Array.from({ length: campaign.vectors }, (_, n) => toRecord(n, nextVector(), random));
  const options = { provider: "MANAGED_PGVECTOR", sessions, onWarning: fail };
  const usual = pgvectorStore(options);
  const indexed = pgvectorStore({ ...options, exactLimits: { scopeVectors: 0, matchingVectors: 0 } });
  for (let start = 0; start < records.length; start += BATCH)
    await usual.upsert(SCOPE, records.slice(start, start + BATCH));
  const startedAt = performance.now();
  await sessions.withConnection((session) => createHnswIndex(session, dimensions));
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const figures: SearchFigures[] = [];
  for (const { percent, key } of FILTERS) {
    const filter = key === null ? null : parseFilter({ [key]: true });
    const tallies = [
      new Tally("as users get it", percent),
      new Tally("index, else exact", percent),
      new Tally("index alone", percent),
    ] as const;
    for (let n = 0; n < queries; n++) {
      const vector = nextVector();
      const nearest = nearestOf(records, vector, key);
      const query = { vector, topK: TOP_K, filter };
      await tallies[0].add(nearest, () => usual.query(SCOPE, query));
      await tallies[1].add(nearest, () => indexed.query(SCOPE, query));
      await tallies[2].add(nearest, () => searchIndex(sessions, vector, filter, () => tallies[2].incomplete++));
    }
    figures.push(...tallies.map((tally) => tally.figures()));
  }
  return { buildSeconds, figures };
}

/** The HNSW index alone, which a store asks only if enough vectors match. */
async function searchIndex(
  sessions: Sessions,
  vector: Float32Array,
  filter: FilterNode | null,
  onIncomplete: () => void,
): Promise<readonly VectorMatch[]> {
  const search = {
    scope: scopeName(SCOPE),
    dimensions: vector.length,
    direction: [...vector],
    topK: TOP_K,
    condition: filter && (toFilterCondition(filter) as FilterCondition),
  };
  const { matches, isComplete } = await sessions.withConnection((session) => searchApproximately(session, search));
  if (!isComplete) onIncomplete();
  return matches;
}

function toRecord(n: number, vector: Float32Array, random: Random): VectorRecord {
  const documentId = `doc_${n}`;
  const metadata = {
    tenth: random.next() < 0.1,
    hundredth: random.next() < 0.01,
    thousandth: random.next() < 0.001,
  };
  return { id: `${documentId}.1.0`, documentId, generation: 1, vector, metadata };
}

type FilterKey = (typeof FILTERS)[number]["key"];

function nearestOf(records: readonly VectorRecord[], query: Float32Array, key: FilterKey): readonly string[] {
  const matching = records.filter(({ metadata }) => key === null || metadata[key] === true);
  return matching
    .map(({ id, vector }) => ({ id, similarity: dot(vector, query) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, TOP_K)
    .map(({ id }) => id);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}

/** Returns a function that makes vectors of length 1. */
function vectorSource({ dimensions, data = "texts" }: PgvectorCampaign, random: Random): () => Float32Array {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const uniform = () => toUnit(Float32Array.from({ length: dimensions }, normal));
  if (data === "uniform") return uniform;
  const axes = Array.from({ length: LATENT_DIMENSIONS }, uniform);
  return () => {
    const vector = uniform().map((value) => value * 0.5);
    for (const axis of axes) {
      const weight = normal();
      for (let index = 0; index < dimensions; index++) vector[index]! += weight * axis[index]!;
    }
    return toUnit(vector);
  };
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / length);
}

/** Gathers what queries found. */
class Tally {
  incomplete = 0;
  readonly #search: SearchFigures["search"];
  readonly #percent: number;
  readonly #times: number[] = [];
  #found = 0;
  #nearest = 0;
  #fewest = Number.POSITIVE_INFINITY;
  #expected = 0;

  constructor(search: SearchFigures["search"], percent: number) {
    this.#search = search;
    this.#percent = percent;
  }

  async add(nearest: readonly string[], search: () => Promise<readonly VectorMatch[]>): Promise<void> {
    const startedAt = performance.now();
    const matches = await search();
    this.#times.push(performance.now() - startedAt);
    this.#found += matches.filter(({ id }) => nearest.includes(id)).length;
    this.#nearest += nearest.length;
    this.#fewest = Math.min(this.#fewest, matches.length);
    this.#expected = nearest.length;
  }

  figures(): SearchFigures {
    const times = this.#times.toSorted((a, b) => a - b);
    return {
      search: this.#search,
      percent: this.#percent,
      recall: this.#nearest === 0 ? 1 : this.#found / this.#nearest,
      fewest: this.#fewest,
      expected: this.#expected,
      ms: times[Math.floor(times.length / 2)]!,
      incomplete: this.incomplete,
    };
  }
}

function fail(message: string): never {
  throw new Error(message);
}
