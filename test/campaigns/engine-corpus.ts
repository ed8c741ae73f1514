import fc from "fast-check";
import { keywordPhrase } from "#dist/text-analysis/keyword-text.js";
import { ENGLISH } from "#dist/text-analysis/stemming.js";
import type { NewChunk } from "../../src/storage/search-index.js";
import type { KeywordTerm } from "../../src/text-analysis/keyword-term.js";
import type { Metadata } from "../../src/types.js";
import { oddFilters, oddMetadata } from "../support/odd-metadata.js";
import type { Random } from "./random.js";

/** Words that stemming, folding and scripts treat differently. */
const WORDS = [
  ..."run running runner runs key keys keyword keywords storm storms lamp lamps keeper the tide tides open opened".split(
    " ",
  ),
  ..."canción canciones cancion Häuser Haus hauser ısıtma ISITMA isitma istekler istegi isteği".split(" "),
  ..."Leuchtturm Leuchtturms Leuchtturmwärter Wärter Sicherheit Abfrage Sicherheitsabfragen".split(" "),
  ..."Café cafe\u0301 CAFE naïve Straße größe größer e-mail 3.14 1999 x1 don't O'Neil".split(" "),
  ..."東京タワー 東京 京都 日本語の文章 東 ひらがな カタカナ 한국어 서울 ภาษาไทย हिन्दी भाषा عربى русский язык".split(
    " ",
  ),
  ..."a\u0000b \ud800 emoji😀word \u{1d400}math \ue0f0 run\ue0f0 keywords\ue0f8 ﬁne ① supercalifragilisticexpialidocious".split(
    " ",
  ),
];
const SEPARATORS = [" ", " ", " ", ", ", "-", "\n", "", " \u0000 "];
const TERM = /^[\p{L}\p{M}\p{N}]+$/u;
const TERM_WORDS = WORDS.flatMap((word) => word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => TERM.test(word));
/** Strings that differ after the part of a value that is indexed, or at its end. */
const LONG = "long ".repeat(300);
const LONG_VALUES = [
  LONG.slice(0, 999),
  LONG.slice(0, 1000),
  LONG.slice(0, 1001),
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  "é".repeat(501),
];
const LONG_KEY = "key".repeat(500);

function randomText(random: Random): string {
  let text = "";
  for (let count = random.integer(0, 25); count > 0; count--) text += random.pick(WORDS) + random.pick(SEPARATORS);
  return text;
}

export function randomChunks(random: Random, count: number): readonly NewChunk[] {
  return Array.from({ length: count }, (_, ordinal): NewChunk => {
    const text = randomText(random);
    const headings = random.next() < 0.3 ? [random.pick(WORDS)] : [];
    return {
      ...{ ordinal, text, headings, indexText: headings.length > 0 ? `${headings[0]}\n${text}` : text },
      ...{ page: random.next() < 0.5 ? random.integer(1, 3) : null, tokens: 1, start: 0, end: text.length },
      embeddingKey: null,
    };
  });
}

export function randomTerms(random: Random, most: number): readonly KeywordTerm[] {
  return Array.from({ length: random.integer(1, most) }, () => {
    const words = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.pick(TERM_WORDS));
    const prefix = random.next() < 0.25;
    const text = words.join(" ");
    const cut = prefix ? text.slice(0, Math.max(1, text.length - random.integer(0, 3))).trim() : text;
    return { text: cut.toWellFormed().normalize("NFC"), prefix };
  }).filter(({ text }) => keywordPhrase(text, ENGLISH) !== "" && !text.includes("\ufffd"));
}

export function randomMetadata(random: Random): Metadata {
  const [metadata] = fc.sample(oddMetadata, { numRuns: 1, seed: random.integer(0, 2 ** 31) });
  const long: Metadata =
    random.next() < 0.2
      ? { long: random.pick(LONG_VALUES), [LONG_KEY]: 1, list: [random.pick(LONG_VALUES), random.pick(LONG_VALUES)] }
      : {};
  return { ...metadata, ...long };
}

/** A filter in its written form. */
export function randomFilter(random: Random, ids: readonly string[]): Record<string, unknown> {
  if (random.next() < 0.2) {
    const value = random.pick(LONG_VALUES);
    const key = random.pick(["long", "list"]);
    return random.pick<Record<string, unknown>>([
      { [key]: value },
      { [key]: { [random.pick(["$gt", "$gte", "$lt", "$lte", "$ne"])]: value } },
      { [key]: { $in: [value, random.pick(LONG_VALUES)] } },
      { [random.pick([LONG_KEY, LONG_KEY.slice(0, 1000)])]: { $exists: true } },
    ]);
  }
  return fc.sample(oddFilters(ids), { numRuns: 1, seed: random.integer(0, 2 ** 31) })[0]!;
}

export function randomVector(random: Random, dimensions: number): Float32Array {
  const isCoarse = random.next() < 0.5;
  return Float32Array.from({ length: dimensions }, () => (isCoarse ? random.integer(-1, 1) : random.next() - 0.5));
}
