import { KnowledgeBaseError } from "../errors.js";
import { type FilterNode, filterableValue, parseFilter } from "../filter.js";
import type { SampledChunk } from "../storage/transfer/survey.js";
import { WORD_PATTERN } from "../text-analysis/keyword-text.js";
import type { CallOptions } from "../types.js";
import type { PhaseProgress } from "./progress.js";
import type { TransferEnd, TransferEnds } from "./transfer-end.js";

/** The number of chunks whose searches are compared. */
export const SAMPLE_SIZE = 20;
const LIMIT = 10;
const MAX_WORDS = 4;
/** Scores that differ by less are equal: floating-point sums depend on the order of their terms. */
const TOLERANCE = 1e-6;

interface Hit {
  readonly id: string;
  readonly score: number;
}

/**
 * Makes the same searches in both knowledge bases: for some words and for the vector of chunks from all parts of the
 * source, with and without a filter. Returns the number of searches.
 * @throws KnowledgeBaseError `conflict` if the hits differ
 */
export async function compareSearches(
  { from, to }: TransferEnds,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<number> {
  let count = 0;
  for (const chunk of await from.storage.transfer.sampleChunks({ count: SAMPLE_SIZE })) {
    for (const search of searchesFor(chunk)) {
      signal?.throwIfAborted();
      const [source, target] = await Promise.all([search(from), search(to)]);
      if (!areEqual(source, target)) throw differenceError(chunk, source, target);
      count++;
    }
    progress.add(1);
  }
  return count;
}

type Search = (end: TransferEnd) => Promise<readonly Hit[]>;

function searchesFor(chunk: SampledChunk): readonly Search[] {
  const filter = filterOf(chunk);
  return [null, ...(filter ? [filter] : [])].flatMap((each) => [...byWords(chunk, each), ...byVector(chunk, each)]);
}

function byWords({ scope, text }: SampledChunk, filter: FilterNode | null): readonly Search[] {
  const words = [...new Set(text.match(WORD_PATTERN) ?? [])].slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const terms = words.map((word) => ({ text: word, prefix: false }));
  const search = { scope, terms, limit: LIMIT, filter, required: null, typoTolerance: false, withPassages: false };
  return [
    async ({ storage }) => {
      const { matches } = await storage.index.keywordSearch(search);
      return matches.map(({ id, bm25 }) => ({ id, score: bm25 }));
    },
  ];
}

function byVector({ scope, vector, vectorSet }: SampledChunk, filter: FilterNode | null): readonly Search[] {
  if (!vector) return [];
  const search = {
    ...{ scope, vector, vectorSet, limit: LIMIT, filter },
    ...{ required: null, withPassages: false, approximate: false },
  };
  return [
    async ({ storage }) => {
      const { matches } = await storage.index.vectorSearch(search);
      return matches.map(({ id, similarity }) => ({ id, score: similarity }));
    },
  ];
}

/** Returns a filter by a metadata key of a chunk; `null` if it has none that can be filtered by. */
function filterOf({ metadata }: SampledChunk): FilterNode | null {
  for (const key of Object.keys(metadata)) {
    const value = filterableValue(metadata, key);
    if (value !== undefined && typeof value !== "object") return parseFilter({ [key]: value });
  }
  return null;
}

/** Whether two rankings have the same scores and, apart from those that tie with the last one, the same hits. */
function areEqual(source: readonly Hit[], target: readonly Hit[]): boolean {
  if (source.length !== target.length) return false;
  const isSameScore = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a));
  const last = source.at(-1)?.score ?? 0;
  const targetScores = new Map(target.map(({ id, score }) => [id, score]));
  return source.every(({ id, score }, index) => {
    const found = targetScores.get(id);
    const isFound = found === undefined ? isSameScore(score, last) : isSameScore(score, found);
    return isFound && isSameScore(score, target[index]!.score);
  });
}

function differenceError({ scope }: SampledChunk, source: readonly Hit[], target: readonly Hit[]): KnowledgeBaseError {
  const shown = (hits: readonly Hit[]) =>
    hits.map(({ id, score }) => `${id} (${score.toFixed(6)})`).join(", ") || "none";
  const message =
    `A search in ${scope.namespaceId} finds other passages in the target: ${shown(target)} instead of ${shown(source)}. ` +
    "Empty the target, and start again.";
  return new KnowledgeBaseError("conflict", message);
}
