import { keywordText, WORD_PATTERN } from "../text-analysis/keyword-text.js";
import { likelyFunctionWords } from "../text-analysis/language.js";
import { ENGLISH } from "../text-analysis/stemming.js";

/** The bytes of a signature: one for each hash function. */
export const SIGNATURE_BYTES = 128;
/** Texts with fewer different words are alike only if they have the same words in the same order. */
const MIN_WORDS = 10;

/** The factors and addends of the hash functions. Signatures are stored, so they must never change. */
const FACTORS = new Uint32Array(SIGNATURE_BYTES);
const ADDENDS = new Uint32Array(SIGNATURE_BYTES);
for (let index = 0; index < SIGNATURE_BYTES; index++) {
  FACTORS[index] = mix(2 * index + 1) | 1;
  ADDENDS[index] = mix(2 * index + 2);
}

/**
 * Returns what two texts are compared by: their different words in lower case, without the function words of their
 * language. In scripts that are indexed as bigrams, a word is a pair of characters.
 */
export function featuresOf(text: string): ReadonlySet<string> {
  const words = keywordText(text, ENGLISH).toLowerCase().match(WORD_PATTERN) ?? [];
  const functionWords = likelyFunctionWords(words);
  const features = new Set(words.filter((word) => !functionWords.has(word)));
  if (features.size >= MIN_WORDS) return features;
  return new Set(words.length === 0 ? [] : [words.join(" ")]);
}

/** Returns the share of the features of two texts that both have, 0 to 1; 0 if neither has any. */
export function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const feature of a) if (b.has(feature)) common++;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}

/**
 * Writes the lowest 8 bits of the smallest hash of the features by each hash function. Two signatures have the same byte
 * with the probability of the features' similarity, or by chance (Broder 1997, "On the resemblance and containment of
 * documents"; Li and König 2010, "b-Bit minwise hashing"). Without features, all bytes are 255.
 */
export function writeSignature(features: ReadonlySet<string>, signature: Uint8Array): void {
  const smallest = new Uint32Array(SIGNATURE_BYTES).fill(0xffffffff);
  for (const feature of features) {
    const hash = hashOf(feature);
    for (let index = 0; index < SIGNATURE_BYTES; index++) {
      const value = mix(Math.imul(hash, FACTORS[index]!) + ADDENDS[index]!);
      if (value < smallest[index]!) smallest[index] = value;
    }
  }
  for (let index = 0; index < SIGNATURE_BYTES; index++) signature[index] = smallest[index]! & 0xff;
}

/** FNV-1a over UTF-16 units, mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash);
}

/** The last steps of MurmurHash3, after which each bit depends on all others. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
