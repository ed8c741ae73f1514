import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type SearchOptions, searchPassages } from "../search/search.js";
import type { SearchHit } from "../search/search-hit.js";
import type { SearchTarget } from "../search/sources.js";
import type { StoredPassage } from "../storage/search-index.js";
import { passageTexts } from "./passage-texts.js";

/** Attempts to read the texts of passages while their documents are being published. */
const MAX_ATTEMPTS = 5;

/** A passage that a search found. */
export interface FoundPassage<M> {
  readonly hit: SearchHit<M>;
  readonly stored: StoredPassage;
  /** Its text as its document has it. */
  readonly text: string;
}

/**
 * Searches for passages and reads their stored texts, all of one generation of their document.
 * @throws KnowledgeBaseError as a search does, `conflict` (retryable) if documents kept changing
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
    const texts = await passageTexts(engine, target.scope, passages, { signal });
    if (texts) return hits.map((hit, index) => ({ hit, stored: passages[index]!, text: texts[index]! }));
  }
  const message = "The documents kept changing while the question was being answered. Ask again.";
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}
