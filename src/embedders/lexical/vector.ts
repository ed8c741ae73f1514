import { foldText } from "./characters.js";
import { FeatureCounts } from "./feature-counts.js";
import { WordScanner } from "./words.js";

export const LEXICAL_DIMENSIONS = 1024;

const WORD_WEIGHT = 1;
/**
 * Low, because English function words say little about a text's topic; above 0, so that a text of them has a vector.
 */
const STOP_WORD_WEIGHT = 0.05;
/** The weight of a single character in scripts without spaces. */
const CHARACTER_WEIGHT = 0.25;
/** The characters `<` and `>`, which mark the ends of a word in n-grams. */
const BEFORE_WORD = 0x3c;
const AFTER_WORD = 0x3e;

/** FNV-1a's offset basis and prime, applied to UTF-16 code units (http://www.isthe.com/chongo/tech/comp/fnv/). */
const FNV_BASIS = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/** Seeds that give different hashes to words, stems, n-grams and unspaced characters with the same code units. */
const WORD_SEED = 0x1b873593;
const STEM_SEED = 0x38b34ae5;
const N_GRAM_SEED = FNV_BASIS;
const CHARACTER_SEED = 0x6c078965;
/** Makes the hash for a feature's second dimension differ from that for its first. */
const SECOND_DIMENSION_SEED = 0x6c078965;

/** ln(1 + count) for small counts. */
const LOGS = Float64Array.from({ length: 32 }, (_, count) => Math.log(1 + count));

const MAX_STOP_WORD_LENGTH = 7;
const STOP_WORDS =
  "a about all also an and any are as at be been being between both but by can could did do does each for from had " +
  "has have he her his how i if in into is it its may more most no nor not of on only or other our out over she " +
  "should so some such than that the their them then there these they this those to under up very was we were what " +
  "when where which while who whom why will with would you your";

/** Which n-grams of words to count, and how much they weigh. */
export interface NGramOptions {
  /** In characters, including `<` and `>` at the ends of the word. */
  readonly minLength: number;
  readonly maxLength: number;
  /** The weight of an n-gram; a word weighs 1. */
  readonly weight: number;
}

/** Weights from 0.2 to 0.5 give almost the same ranking. */
const N_GRAM_OPTIONS: NGramOptions = { minLength: 3, maxLength: 5, weight: 0.25 };

/**
 * Turns texts into vectors by hashing words and parts of words, without a model or a corpus.
 *
 * Features are words, the 3- to 5-grams of each word with its ends marked (`<sea>`), and, in scripts without spaces,
 * characters and their bigrams. Each distinct feature weighs `ln(1 + occurrences)` times the weight of its kind and
 * is added, with a sign from its hash, to two of the 1,024 dimensions (the hashing trick of Weinberger et al., "Feature
 * hashing for large scale multitask learning", ICML 2009). The sum is normalized.
 */
export class LexicalHasher {
  readonly #words: WordScanner;
  readonly #nGramOptions: NGramOptions;
  readonly #features = new FeatureCounts();
  readonly #stopWords = new Set(STOP_WORDS.split(" ").map((word) => hashUnits(word, 0, word.length, WORD_SEED)));

  constructor(words = new WordScanner(), nGramOptions = N_GRAM_OPTIONS) {
    this.#words = words;
    this.#nGramOptions = nGramOptions;
  }

  /**
   * Writes the vector of a text into a zeroed array of 1,024 numbers. The array stays zero for a text without words.
   */
  embed(text: string, vector: Float32Array): void {
    const folded = foldText(text);
    this.#words.scan(
      folded,
      (start, end) => {
        if (this.addStopWord(folded, start, end)) return;
        this.addWord(folded, start, end);
        this.addNGrams(folded, start, end);
      },
      (start, end) => this.addCharacters(folded, start, end),
    );
    this.flush(vector, 1);
  }

  /**
   * Writes the accumulated vector, scaled to `length`, into a zeroed array and resets the hasher. Returns false, and
   * leaves the array zero, if nothing was added.
   */
  flush(vector: Float32Array, length: number): boolean {
    this.#features.drain((hash, count, weight) =>
      addSigned(vector, hash, weight * (LOGS[count] ?? Math.log(1 + count))),
    );
    return scaleTo(vector, length);
  }

  /** Counts the tokens of a text: words and, in scripts without spaces, characters. */
  countTokens(text: string): number {
    let tokens = 0;
    this.#words.scan(
      text,
      () => tokens++,
      (start, end) => {
        tokens += end - start;
      },
    );
    return tokens;
  }

  /** Adds the word at a range of a folded text if it is a stop word. Returns whether it was added. */
  addStopWord(text: string, start: number, end: number): boolean {
    if (end - start > MAX_STOP_WORD_LENGTH) return false;
    const hash = hashUnits(text, start, end, WORD_SEED);
    if (!this.#stopWords.has(hash)) return false;
    this.#features.add(hash, STOP_WORD_WEIGHT);
    return true;
  }

  /** Adds a stem, given its {@link hashStem}. */
  addStem(hash: number): void {
    this.#features.add(hash, WORD_WEIGHT);
  }

  /** Adds the word at a range of a folded text. */
  addWord(text: string, start: number, end: number): void {
    this.#features.add(hashUnits(text, start, end, WORD_SEED), WORD_WEIGHT);
  }

  /** Adds the n-grams of the word at a range of a folded text. */
  addNGrams(text: string, start: number, end: number): void {
    const { minLength, maxLength, weight } = this.#nGramOptions;
    for (let from = start - 1; from + minLength <= end + 1; from++) {
      let hash = N_GRAM_SEED;
      const limit = Math.min(from + maxLength, end + 1);
      for (let at = from; at < limit; at++) {
        const unit = at < start ? BEFORE_WORD : at === end ? AFTER_WORD : text.charCodeAt(at);
        hash = Math.imul(hash ^ unit, FNV_PRIME);
        if (at - from >= minLength - 1) this.#features.add(hash, weight);
      }
    }
  }

  /** Adds the characters and bigrams of a run in a script without spaces. */
  addCharacters(text: string, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const characterHash = Math.imul(CHARACTER_SEED ^ text.charCodeAt(at), FNV_PRIME);
      this.#features.add(characterHash, CHARACTER_WEIGHT);
      if (at + 1 < end) this.#features.add(Math.imul(characterHash ^ text.charCodeAt(at + 1), FNV_PRIME), WORD_WEIGHT);
    }
  }
}

/** Returns the hash of a stem, which is never 0. */
export function hashStem(stem: string): number {
  return hashUnits(stem, 0, stem.length, STEM_SEED) || STEM_SEED;
}

function hashUnits(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

function addSigned(vector: Float32Array, hash: number, weight: number): void {
  const first = mixBits(hash);
  const second = mixBits(first ^ SECOND_DIMENSION_SEED);
  vector[first & (LEXICAL_DIMENSIONS - 1)]! += first < 0 ? -weight : weight;
  vector[second & (LEXICAL_DIMENSIONS - 1)]! += second < 0 ? -weight : weight;
}

/** Finalizes a hash as MurmurHash3 does (Appleby, public domain): every input bit affects every output bit. */
function mixBits(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Scales a vector to a length. Returns false for a zero vector. */
function scaleTo(vector: Float32Array, length: number): boolean {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += vector[index]! * vector[index]!;
  if (sum === 0) return false;
  const scale = length / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++) vector[index]! *= scale;
  return true;
}
