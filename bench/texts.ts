const SYLLABLES = (
  "ba be bo da de do fa fe ga ka ke la le li lo ma me mi na ne no pa pe ra re ri ro sa se si ta te ti to " + "va ve vo"
).split(" ");

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const COMMON = (
  "the of and to in is that for it as with was on are by this be from at or an which have had not but were their its " +
  "has been one after first people other water time work place country found house small great system between under " +
  "each part"
).split(" ");

/**
 * Prose-like texts: half of the words are common, the rest are from a vocabulary of 20,000 with a frequency of 1/rank,
 * in sentences of 6 to 18 words and paragraphs of a few sentences.
 */
export function makeTexts(count: number, characters: number, seed = 1): string[] {
  const random = seeded(seed);
  const vocabulary = Array.from({ length: 20_000 }, () => word(random));
  const pick = () =>
    random() < 0.5
      ? COMMON[Math.floor(random() * COMMON.length)]!
      : vocabulary[Math.floor(vocabulary.length ** random()) - 1]!;
  return Array.from({ length: count }, () => {
    let text = "";
    while (text.length < characters) {
      const words = Array.from({ length: 6 + Math.floor(random() * 13) }, pick).join(" ");
      text += `${words[0]!.toUpperCase()}${words.slice(1)}.${random() < 0.2 ? "\n\n" : " "}`;
    }
    return text.trim();
  });
}

function word(random: () => number): string {
  const length = 2 + Math.floor(random() * 3);
  return Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join("");
}
