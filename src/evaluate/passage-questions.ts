import { sentenceStarts } from "../chunkers/sentences.js";
import { FUNCTION_WORDS } from "../text-analysis/function-words.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";

/** A question, and the sentence of a passage that answers it. */
export interface PassageQuestion {
  readonly question: string;
  readonly contains: string;
}

/** A passage as `documents.chunks` yields it. */
export interface Passage {
  readonly text: string;
  readonly headings: readonly string[];
}

/** Shorter ones are labels, longer ones often tables or lists without punctuation. */
const MIN_SENTENCE_LENGTH = 20;
const MAX_SENTENCE_LENGTH = 300;
const MAX_HEADING_LENGTH = 150;
/** A heading of one word, such as "Introduction", is no question. */
const MIN_HEADING_WORDS = 2;

const BLOCK_PATTERN = /[^\n]+(?:\n(?!\n)[^\n]+)*/g;
/** Headings, lists, quotations, tables and code. */
const OTHER_BLOCK_PATTERN = /^\s*(?:[#>|`~]|[-*+]\s|\d{1,9}[.)]\s)/;
const SENTENCE_END_PATTERN = /\p{Sentence_Terminal}\p{P}{0,3}$/u;
const QUESTION_PATTERN = /[?？؟]\p{P}{0,3}$/u;

/** How sentences that define a thing begin, by language, and the question that they answer. */
const DEFINITIONS = [
  { language: "en", articles: "an?", definite: "the", verbs: "is|are", after: "an?|the|any|one|what", ask: "What" },
  {
    language: "de",
    articles: "ein|eine",
    definite: "der|die|das",
    verbs: "ist|sind",
    after: "ein|eine|einer|eines|der|die|das|jeder|jede|jedes",
    ask: "Was",
  },
].map(({ articles, definite, verbs, after, ...rest }) => ({
  ...rest,
  articles: new RegExp(`^(?:${articles}|${definite})$`, "i"),
  definite: new RegExp(`^(?:${definite})$`, "i"),
  pattern: new RegExp(`^([\\p{L}\\p{N}'’-]+(?: [\\p{L}\\p{N}'’-]+){0,3}) (${verbs}) (?:${after}) `, "iu"),
}));

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the questions that a passage answers, by plain rules:
 * - a last heading that is a question, answered by the first sentence;
 * - "What is X?", answered by a sentence such as "X is a …", in English and German;
 * - another last heading of at least two words as it is, as people type it into a search, answered by the first sentence.
 */
export function questionsOfPassage({ text, headings }: Passage): readonly PassageQuestion[] {
  const sentences = proseSentences(text);
  const [first] = sentences;
  if (first === undefined) return [];
  const questions = sentences.flatMap((sentence) => questionOfDefinition(sentence) ?? []);
  const heading = collapseWhitespace(headings.at(-1) ?? "");
  if (isQuestion(heading) || countWords(heading) >= MIN_HEADING_WORDS)
    if (heading.length <= MAX_HEADING_LENGTH) questions.unshift({ question: heading, contains: first });
  return questions;
}

function isQuestion(text: string): boolean {
  return QUESTION_PATTERN.test(text);
}

function questionOfDefinition(sentence: string): PassageQuestion | null {
  for (const { language, articles, definite, pattern, ask } of DEFINITIONS) {
    const [, subject, verb] = pattern.exec(sentence) ?? [];
    if (subject === undefined) continue;
    const words = subject.split(" ");
    const hasArticle = articles.test(words[0]!);
    const named = hasArticle ? words.slice(1) : words;
    // "It is a …" and "The first of these is the …" define nothing that can be asked for.
    // "The date is a string" is usually about one date, "The fog signal is a sound" about all of them.
    if (named.length === 0 || (named.length === 1 && definite.test(words[0]!))) continue;
    if (named.some((word) => FUNCTION_WORDS.get(language)!.has(word.toLowerCase()))) continue;
    const asked = hasArticle ? [words[0]!.toLowerCase(), ...named] : named;
    return { question: `${ask} ${verb} ${asked.join(" ")}?`, contains: sentence };
  }
  return null;
}

/** Returns the sentences of paragraphs, on one line each, without questions. */
function proseSentences(text: string): readonly string[] {
  return [...text.matchAll(BLOCK_PATTERN)].flatMap(([block]) => {
    if (OTHER_BLOCK_PATTERN.test(block)) return [];
    const starts = [0, ...sentenceStarts(block, 0, block.length), block.length];
    return starts
      .slice(1)
      .map((end, index) => collapseWhitespace(block.slice(starts[index]!, end)))
      .filter(({ length }) => length >= MIN_SENTENCE_LENGTH && length <= MAX_SENTENCE_LENGTH)
      .filter((sentence) => SENTENCE_END_PATTERN.test(sentence) && !isQuestion(sentence) && isWhole(sentence));
  });
}

/** Whether a sentence was not cut within emphasis, a link or brackets. */
function isWhole(sentence: string): boolean {
  const count = (character: string) => sentence.split(character).length;
  return !sentence.startsWith("*") && count("(") === count(")") && count("[") === count("]");
}

function countWords(text: string): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(text)).filter(({ isWordLike }) => isWordLike).length;
}
