import { createRandomNumbers } from "#dist/evaluate/random-numbers.js";

/** Creates texts, and changes them, by a seed. */
export function textMaker(seed: number) {
  const next = createRandomNumbers(seed);
  const random = () => next() / 2 ** 32;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const vocabulary = Array.from({ length: 3000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join(""),
  );
  return {
    random,
    /** A text of invented words, each tenth of them a function word. */
    newText: (words: number) =>
      `${Array.from({ length: words }, (_, index) => (index % 10 === 3 ? pick(FUNCTION_WORDS) : pick(vocabulary))).join(" ")}.`,
    /** Replaces each word by another with a probability. */
    change: (text: string, rate: number, words: readonly string[] = vocabulary) =>
      text
        .split(" ")
        .map((word) => (random() < rate ? pick(words) : word))
        .join(" "),
  };
}

const SYLLABLES = "ba co di fu ga he ji ko lu ma ne pi ra so tu va we xi yo za".split(" ");
const FUNCTION_WORDS = "the of and in is was".split(" ");
