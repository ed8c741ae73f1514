import { LruCache } from "../util/lru-cache.js";
import { termsOf } from "./analyze.js";

/** Enough for about 20,000 words of ten characters. */
const MAX_CHARACTERS = 200_000;

/** Caches the terms of words and phrases, which recur in queries and highlighted passages. */
export class Analyzer {
  readonly #cache = new LruCache<string, readonly string[]>({
    // The size is the limit: a text has at least one character.
    maxEntries: MAX_CHARACTERS,
    maxSize: MAX_CHARACTERS,
    sizeOf: (_, text) => text.length,
  });

  /** Returns the terms of each text, in order. */
  terms(texts: readonly string[]): readonly (readonly string[])[] {
    return texts.map((text) => {
      const cached = this.#cache.get(text);
      if (cached) return cached;
      const terms = termsOf(text);
      this.#cache.set(text, terms);
      return terms;
    });
  }
}
