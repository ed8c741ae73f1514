import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type SearchOptions, searchPassages } from "../search/search.js";
import type { SearchHit } from "../search/search-hit.js";
import type { SearchTarget } from "../search/sources.js";
import type { StoredPassage } from "../storage/search-index.js";
import { readPassageTexts } from "./passage-texts.js";

/** The maximum number of searches: documents may be published again before the texts of their passages are read. */
const MAX_ATTEMPTS = 5;

/** A passage that a search found. */
export interface FoundPassage<M> {
  readonly hit: SearchHit<M>;
  readonly stored: StoredPassage;
  /** The stored text of the passage, see {@link readPassageTexts}. */
  readonly text: string;
  /** The whole stored text if `text` is cut. */
  readonly wholeText?: string;
}

/**
 * Searches for passages and reads their stored texts, all of one generation of their document.
 * @throws KnowledgeBaseError the errors of a search, `conflict` (retryable) if documents kept changing
 */
export async function findPassages<M>(
  engine: Engine,
  target: SearchTarget,
  query: string,
  options: SearchOptions<M>,
): Promise<readonly FoundPassage<M>[]> {
  const { signal } = options;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { hits, passages } = await searchPassages<M>(engine, target, query, options);
    const texts = await readPassageTexts(engine, target.scope, passages, { signal });
    if (texts) return withTexts(hits, passages, texts);
  }
  const message = "The documents kept changing while the question was being answered. Ask again.";
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** Joins hits with their passages and texts. Omits those whose text is damaged. */
export function withTexts<M>(
  hits: readonly SearchHit<M>[],
  passages: readonly StoredPassage[],
  texts: readonly (string | null)[],
): readonly FoundPassage<M>[] {
  return hits.flatMap((hit, index) => {
    const text = texts[index] ?? null;
    return text === null ? [] : { hit, stored: passages[index]!, text };
  });
}
