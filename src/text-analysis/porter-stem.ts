import { groupBy } from "../util/group-by.js";

/** Maximum length of a stemmed word in bytes of UTF-8; longer words are left unchanged. */
const MAX_BYTES = 64;

/** Rules of one step, tried in order: only the first with a matching suffix is used, even if its condition fails. */
type Rule = readonly [suffix: string, replacement: string, condition: (stem: string) => boolean];
/** The rules of one step, keyed by {@link endingOf} of their suffixes. */
type Step = ReadonlyMap<number, readonly Rule[]>;

const LAST_ASCII = 0x7f;

/**
 * Returns the stem of an English word, as SQLite's tokenizer "porter" computes it (M.F. Porter 1980, "An algorithm for
 * suffix stripping"). The word must be in lower case; bytes of UTF-8 that aren't ASCII count as consonants.
 */
export function porterStem(word: string): string {
  // No suffix ends so.
  if (word.charCodeAt(word.length - 1) > LAST_ASCII) return word;
  const isAscii = /^[\0-\x7f]*$/.test(word);
  const bytes = isAscii ? word : Buffer.from(word, "utf8").toString("latin1");
  if (bytes.length < 3 || bytes.length > MAX_BYTES) return word;
  const stem = applySteps(bytes);
  return isAscii ? stem : Buffer.from(stem, "latin1").toString("utf8");
}

function applySteps(word: string): string {
  if (!hasRules(word)) return word;
  let stem = removePastAndGerund(removePlural(word));
  if (stem.endsWith("y") && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  for (const step of STEPS) stem = applyRules(step, stem);
  if (stem.endsWith("e")) {
    const shorter = stem.slice(0, -1);
    if (measureAbove1(shorter) || (measureIs1(shorter) && !endsInShortSyllable(shorter))) stem = shorter;
  }
  return stem.length > 1 && stem.endsWith("ll") && measureAbove1(stem.slice(0, -1)) ? stem.slice(0, -1) : stem;
}

/** Whether a rule of any step may change a word, by its last two letters. */
function hasRules(word: string): boolean {
  return LAST_LETTERS_WITH_RULES.has(word.charCodeAt(word.length - 1)) || ENDINGS_WITH_RULES.has(endingOf(word));
}

/** Step 1a. */
function removePlural(word: string): string {
  if (!word.endsWith("s") || word.at(-2) === "s") return word;
  const hasLongEnding = (word.length > 4 && word.endsWith("sses")) || (word.length > 3 && word.endsWith("ies"));
  return word.slice(0, hasLongEnding ? -2 : -1);
}

/** Step 1b. */
function removePastAndGerund(word: string): string {
  if (word.length > 3 && word.endsWith("eed")) return measureAbove0(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const suffix = word.length > 3 && word.endsWith("ing") ? "ing" : word.length > 2 && word.endsWith("ed") ? "ed" : null;
  if (suffix === null) return word;
  const stem = word.slice(0, -suffix.length);
  if (!hasVowel(stem)) return word;
  if (stem.length > 2 && /(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  const last = stem.at(-1)!;
  if (!/[aeioulsz]/.test(last) && last === stem.at(-2)) return stem.slice(0, -1);
  return measureIs1(stem) && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

/** Returns a number for the last two letters of a word. */
function endingOf(word: string): number {
  return (word.charCodeAt(word.length - 2) << 8) | word.charCodeAt(word.length - 1);
}

function applyRules(step: Step, word: string): string {
  const rules = step.get(endingOf(word));
  if (!rules) return word;
  for (const [suffix, replacement, condition] of rules) {
    if (word.length <= suffix.length || !word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return condition(stem) ? stem + replacement : word;
  }
  return word;
}

const STEP_2: readonly Rule[] = (
  [
    ["ational", "ate"],
    ["tional", "tion"],
    ["enci", "ence"],
    ["anci", "ance"],
    ["izer", "ize"],
    ["logi", "log"],
    ["bli", "ble"],
    ["alli", "al"],
    ["entli", "ent"],
    ["eli", "e"],
    ["ousli", "ous"],
    ["ization", "ize"],
    ["ation", "ate"],
    ["ator", "ate"],
    ["alism", "al"],
    ["iveness", "ive"],
    ["fulness", "ful"],
    ["ousness", "ous"],
    ["aliti", "al"],
    ["iviti", "ive"],
    ["biliti", "ble"],
  ] as const
).map(([suffix, replacement]) => [suffix, replacement, measureAbove0]);

const STEP_3: readonly Rule[] = (
  [
    ["ical", "ic"],
    ["ness", ""],
    ["icate", "ic"],
    ["iciti", "ic"],
    ["ful", ""],
    ["ative", ""],
    ["alize", "al"],
  ] as const
).map(([suffix, replacement]) => [suffix, replacement, measureAbove0]);

const STEP_4: readonly Rule[] = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
  .split(" ")
  .map((suffix) => [suffix, "", suffix === "ion" ? measureAbove1AfterSOrT : measureAbove1]);

const STEPS: readonly Step[] = [STEP_2, STEP_3, STEP_4].map((rules) => groupBy(rules, ([suffix]) => endingOf(suffix)));

/** The last letters of what steps 1 and 5 may change, but not the double l of step 5. */
const LAST_LETTERS_WITH_RULES: ReadonlySet<number> = new Set([..."sdgye"].map((letter) => letter.charCodeAt(0)));
const ENDINGS_WITH_RULES: ReadonlySet<number> = new Set([...STEPS.flatMap((step) => [...step.keys()]), endingOf("ll")]);

function isVowel(character: string | undefined, isYVowel: boolean): boolean {
  switch (character) {
    case "a":
    case "e":
    case "i":
    case "o":
    case "u":
      return true;
    case "y":
      return isYVowel;
    default:
      return false;
  }
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (isVowel(stem[at], at > 0)) return true;
  return false;
}

/** Returns the offset after the first consonant that follows a vowel, searching from `from`; 0 if there is none. */
function vowelConsonantEnd(stem: string, from: number, isConsonantBefore: boolean): number {
  let isConsonant = isConsonantBefore;
  let at = from;
  for (; at < stem.length; at++) {
    isConsonant = !isVowel(stem[at], isConsonant);
    if (!isConsonant) break;
  }
  for (at++; at < stem.length; at++) {
    isConsonant = !isVowel(stem[at], isConsonant);
    if (isConsonant) return at + 1;
  }
  return 0;
}

function measureAbove0(stem: string): boolean {
  return vowelConsonantEnd(stem, 0, false) > 0;
}

function measureAbove1(stem: string): boolean {
  const end = vowelConsonantEnd(stem, 0, false);
  return end > 0 && vowelConsonantEnd(stem, end, true) > 0;
}

function measureIs1(stem: string): boolean {
  const end = vowelConsonantEnd(stem, 0, false);
  return end > 0 && vowelConsonantEnd(stem, end, true) === 0;
}

function measureAbove1AfterSOrT(stem: string): boolean {
  return /[st]$/.test(stem) && measureAbove1(stem);
}

/** Whether a stem ends with consonant, vowel, consonant, the last of which isn't w, x or y (Porter's *o). */
function endsInShortSyllable(stem: string): boolean {
  if (/[wxy]$/.test(stem)) return false;
  let isConsonant = false;
  let pattern = 0;
  for (const character of stem) {
    isConsonant = !isVowel(character, isConsonant);
    pattern = ((pattern << 1) | Number(isConsonant)) & 0b111;
  }
  return pattern === 0b101;
}
