import { withoutSuffixes } from "../text-analysis/keyword-text.js";
import type { NewChunk } from "./search-index.js";

/**
 * Returns the text whose words a new chunk is found by. The suffixes of indexed words separate words there: with one, a
 * word would be found as a word of another language. Chunks of earlier versions were indexed with them.
 */
export function indexedText({ indexText }: Pick<NewChunk, "indexText">): string {
  return withoutSuffixes(indexText);
}
