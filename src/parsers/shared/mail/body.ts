import type { BlockList } from "../blocks/block-list.js";

const NGRAM_WORDS = 3;
/** A paragraph counts as part of the HTML if at most one in 25 of its n-grams is missing there. */
const MAX_MISSING_SHARE = 0.04;
/** If a larger share of the plain text is missing in the HTML, the two are different texts. */
const DIFFERENT_TEXT_SHARE = 0.25;

/** Longer HTML is assumed to be complete, since the comparison would cost much memory. */
const MAX_COMPARED_WORDS = 200_000;

/** Splits a message's plain text into paragraphs at blank lines. */
export function textParagraphs(text: string): string[] {
  return text
    .replace(/\r\n?/g, "\n")
    .split(/\n(?:[^\S\n]*\n)+/)
    .map((paragraph) => paragraph.replace(/^\n+/, "").trimEnd())
    .filter((paragraph) => paragraph.trim() !== "");
}

/**
 * Finds the paragraphs of a message's plain text that its HTML lacks, to be added after the HTML. If much is missing, the
 * two are different texts: returns the whole plain text, to be added before the HTML.
 */
export function findMissingParagraphs(text: string, html: BlockList): { before: string[]; after: string[] } {
  const htmlWords = wordsOf(html.blocks.map((block) => block.text).join("\n"));
  if (htmlWords.length > MAX_COMPARED_WORDS) return { before: [], after: [] };
  const htmlNgrams = new Set([1, 2, NGRAM_WORDS].flatMap((size) => ngramsOf(htmlWords, size)));
  const paragraphs = textParagraphs(text);
  let totalWordCount = 0;
  let missingWordCount = 0;
  const missing = paragraphs.filter((paragraph) => {
    const words = wordsOf(paragraph);
    totalWordCount += words.length;
    const ngrams = ngramsOf(words, Math.min(NGRAM_WORDS, words.length));
    const isMissing = ngrams.filter((ngram) => !htmlNgrams.has(ngram)).length > ngrams.length * MAX_MISSING_SHARE;
    if (isMissing) missingWordCount += words.length;
    return isMissing;
  });
  const isDifferent = missingWordCount > totalWordCount * DIFFERENT_TEXT_SHARE;
  return isDifferent ? { before: paragraphs, after: [] } : { before: [], after: missing };
}

/** Returns the words of a text without link addresses, which plain text spells out and HTML doesn't show. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(?:https?:|cid:|www\.|(?<=[<(])mailto:)[^\s<>"')\]]+/gi, " ")
      .replace(/\[(?:image|cid)[^\]\n]{0,200}\]/gi, " ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Returns all n-grams of `size` words. */
function ngramsOf(words: readonly string[], size: number): string[] {
  const ngrams: string[] = [];
  for (let i = 0; size > 0 && i + size <= words.length; i++) ngrams.push(words.slice(i, i + size).join(" "));
  return ngrams;
}
