import type { Engine } from "../engine/engine.js";
import { embedderOf, vectorStoreOf } from "../engine/namespace-drivers.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { VectorMatch, VectorStore } from "../interfaces/vector-store.js";
import { checkVector } from "../providers/check-vector.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { CallOptions, EmbeddingConfig, Scope, VectorStoreConfig } from "../types.js";
import type { RankedId } from "./fusion.js";
import type { Question } from "./question.js";
import { keywordScore, semanticScore } from "./scores.js";

/** What a search is over: one scope and the drivers of its namespace. */
export interface SearchTarget {
  readonly scope: Scope;
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
}

/** A chunk that has words of the query. */
export interface KeywordFound extends RankedId {
  readonly bm25: number;
  readonly ceiling: number;
  readonly hasAllWords: boolean;
}

/** A chunk that resembles the query. */
export interface SemanticFound extends RankedId {
  readonly similarity: number;
}

/** What one way of searching found, best first. */
export interface Listing<Found extends RankedId> {
  readonly found: readonly Found[];
  /** How many more chunks it found that are not live. */
  readonly lost: number;
  /** The scope's epoch before or then; null where all that is found is live then, so that only a change can lose it. */
  readonly epoch: number | null;
  /** What is shown of each, read in the same moment; null where that is still to be done. */
  readonly passages: readonly StoredPassage[] | null;
}

/** The ways of searching that a question's mode has, each to be asked for as many chunks as are wanted. */
export interface Sources {
  /** @param read Whether they are wanted with what is shown of them. */
  readonly keyword: ((limit: number, read: boolean) => Promise<Listing<KeywordFound>>) | null;
  readonly semantic: ((limit: number, read: boolean) => Promise<Listing<SemanticFound>>) | null;
  /** The weight of meaning beside words that the embedder asks for, 0 to 1. */
  readonly semanticWeight: number;
}

/** Of an embedder that says nothing else. */
const SEMANTIC_WEIGHT = 0.5;
/** A store that also returns what is no longer live is asked for this many times more. */
const WIDENING = 4;

/** Opens what a question's mode needs: `keyword` never calls an embedder, and the query is embedded once, when it is first needed. */
export async function openSources(
  engine: Engine,
  target: SearchTarget,
  question: Question,
  call: CallOptions,
): Promise<Sources> {
  const keyword =
    question.mode === "semantic"
      ? null
      : (limit: number, read: boolean) => byKeywords(engine, target.scope, question, { limit, read }, call);
  if (question.mode === "keyword") return { keyword, semantic: null, semanticWeight: 0 };
  const embedder = await embedderOf(engine, target.scope, target.embeddingConfig);
  const store = await vectorStoreOf(engine, target.scope, target.vectorStoreConfig);
  if (question.filterNode) store.checkFilter?.(question.filterNode);
  let embedding: Promise<Float32Array> | null = null;

  /** Asks the store for more until enough of what it finds is live and has the required words. */
  async function semantic(limit: number, read: boolean): Promise<Listing<SemanticFound>> {
    embedding ??= embedQuery(embedder, question.query, call);
    const { filterNode: filter, required } = question;
    // The database's own store finds what is live and has the required words, and nothing else.
    const findsLive = store.inDatabase === true;
    const [vector, epoch] = await Promise.all([embedding, findsLive ? null : epochOf(engine, target.scope, call)]);
    const { maxTopK: most = Number.POSITIVE_INFINITY } = store;
    for (let depth = Math.min(limit, most); ; depth = Math.min(depth * WIDENING, most)) {
      const query = { vector, topK: depth, filter, required, read: read && findsLive };
      const matches = await store.query(target.scope, query, call);
      const ids = matches.map(({ id }) => id);
      const live = findsLive
        ? { ids, lost: 0 }
        : await engine.storage.index.liveChunks({ scope: target.scope, ids, required }, call);
      if (live.ids.length < limit && matches.length >= depth) {
        if (depth < most) continue;
        tellShort(engine, store, live.ids.length, Math.min(limit, question.topK));
      }
      const similarities = new Map(matches.map(({ id, similarity }) => [id, similarity]));
      const found = live.ids.slice(0, limit).map((id, index) => {
        const similarity = similarities.get(id)!;
        const score = semanticScore(similarity, embedder.unrelatedSimilarity ?? 0);
        return { id, rank: index + 1, score, similarity };
      });
      return { found, lost: live.lost, epoch, passages: query.read ? passagesOf(matches) : null };
    }
  }

  return { keyword, semantic, semanticWeight: embedder.semanticWeight ?? SEMANTIC_WEIGHT };
}

/** Nothing is amiss where as many are found as are returned: hybrid search asks for more, so as to compare two rankings. */
function tellShort({ events }: Engine, { provider }: VectorStore, found: number, wanted: number): void {
  if (found >= wanted) return;
  const message = `A search found ${found} of ${wanted} passages: ${provider} gives no more matches, and the others of those are no longer published or lack words of the keyword filter.`;
  events.emit({ type: "warning", message });
}

/** What a store in the database read with its matches; null where that was not all. */
function passagesOf(matches: readonly VectorMatch[]): readonly StoredPassage[] | null {
  const passages = matches.flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk as StoredPassage]));
  return passages.length === matches.length ? passages : null;
}

async function byKeywords(
  engine: Engine,
  scope: Scope,
  { terms, filterNode: filter, required }: Question,
  wanted: { readonly limit: number; readonly read: boolean },
  call: CallOptions,
): Promise<Listing<KeywordFound>> {
  const question = { scope, terms, filter, required, ...wanted };
  const { matches, ceiling, epoch, passages } = await engine.storage.index.keywordSearch(question, call);
  const found = matches.map(({ id, bm25, hasAllTerms: hasAllWords }, index) => {
    return { id, rank: index + 1, score: keywordScore(bm25, ceiling, hasAllWords), bm25, ceiling, hasAllWords };
  });
  return { found, lost: 0, epoch, passages };
}

/** Grows with every change that a search of the scope could see. */
export async function epochOf(engine: Engine, scope: Scope, call: CallOptions): Promise<number> {
  const { epoch } = await engine.storage.index.livePassages({ scope, ids: [] }, call);
  return epoch;
}

async function embedQuery(embedder: Embedder, query: string, call: CallOptions): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], { ...call, purpose: "query" });
  if (!vector) throw new KnowledgeBaseError("provider_failed", `The embedder ${embedder.provider} returned no vector.`);
  checkVector(embedder, vector);
  return vector;
}
