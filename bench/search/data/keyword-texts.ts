import { seeded } from "../../texts.js";

const SYLLABLES = "ba bel cor dan dor fen gal hul jor kan lum mar nol pur qui rav sol tam ul ver wen yar zo".split(" ");
const FREQUENT = (
  "the of and to in is that for it as with was on are by this be from at or an which have had not but were their its " +
  "has been one after first people other water time work place country found house small great system between under " +
  "each part"
).split(" ");
const VOCABULARY = 50_000;
const WORDS = 60;

/** The minimum and maximum number of chunks with a term, out of 1000. */
const FREQUENCIES = { common: [50, 200], medium: [5, 20], rare: [0.1, 1] } as const;

/**
 * Chunks of 60 words: half of them are frequent English words, the others from a vocabulary of 50,000 with frequencies
 * by Zipf's law (the n-th has 1/n of the first).
 */
export class KeywordTexts {
  readonly texts: readonly string[];
  readonly #content: readonly (readonly string[])[];

  constructor(rows: number, seed: number) {
    const random = seeded(seed);
    const vocabulary = makeVocabulary(random);
    const zipf = makeZipf(random);
    this.#content = Array.from({ length: rows }, () => {
      return Array.from({ length: WORDS / 2 }, () => vocabulary[zipf()]!);
    });
    this.texts = this.#content.map((words, row) => {
      const mixed = words.flatMap((word) => [FREQUENT[Math.floor(random() * FREQUENT.length)]!, word]);
      return `row ${row} ${mixed.join(" ")}`;
    });
  }

  /** Queries of three random terms of one chunk, as for a passage that somebody remembers. */
  ofOneChunk(count: number, seed: number): string[] {
    const random = seeded(seed);
    return Array.from({ length: count }, () => {
      const words = [...new Set(this.#content[Math.floor(random() * this.#content.length)]!)];
      return Array.from({ length: 3 }, () => words.splice(Math.floor(random() * words.length), 1)[0]).join(" ");
    });
  }

  /**
   * Queries of a common term (in 5 to 20 % of the chunks), a medium one (0.5 to 2 %) and a rare one (0.01 to 0.1 %).
   */
  ofAllFrequencies(count: number, seed: number): string[] {
    const random = seeded(seed);
    const chunksWith = new Map<string, number>();
    for (const words of this.#content) {
      for (const word of new Set(words)) chunksWith.set(word, (chunksWith.get(word) ?? 0) + 1);
    }
    const thousand = this.#content.length / 1000;
    const pools = Object.values(FREQUENCIES).map(([min, max]) => {
      return [...chunksWith].filter(([, chunks]) => chunks >= min * thousand && chunks <= max * thousand);
    });
    return Array.from({ length: count }, () => {
      return pools.map((pool) => pool[Math.floor(random() * pool.length)]![0]).join(" ");
    });
  }
}

function makeVocabulary(random: () => number): readonly string[] {
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const length = 2 + Math.floor(random() * 3);
    words.add(Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(""));
  }
  return [...words];
}

/** Draws ranks from 0, by bisection in the sums of 1/rank. */
function makeZipf(random: () => number): () => number {
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return () => {
    const target = random() * sum;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
