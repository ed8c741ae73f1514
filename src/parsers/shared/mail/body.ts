import type { BlockList } from "../blocks/block-list.js";

const GRAM_WORDS = 3;
/** A paragraph is in the HTML too if at most one in 25 of its word sequences is missing. */
const MISSING_SHARE = 0.04;
/** If more of the plain text is missing in the HTML, the two are different texts. */
const DIFFERENT_SHARE = 0.25;

/** A longer HTML part is assumed to be complete: no person writes such a message, and comparing it costs memory. */
const MAX_COMPARED_WORDS = 200_000;

/** The paragraphs of a message's plain text, separated by blank lines. */
export function textParagraphs(text: string): string[] {
  return text
    .replace(/\r\n?/g, "\n")
    .split(/\n(?:[^\S\n]*\n)+/)
    .map((paragraph) => paragraph.replace(/^\n+/, "").trimEnd())
    .filter((paragraph) => paragraph.trim() !== "");
}

/** The plain paragraphs missing in a message's HTML, before and after it. */
export function besideHtml(text: string, html: BlockList): { before: readonly string[]; after: readonly string[] } {
  const htmlWords = wordsOf(html.blocks.map((block) => block.text).join("\n"));
  if (htmlWords.length > MAX_COMPARED_WORDS) return { before: [], after: [] };
  const known = new Set([1, 2, GRAM_WORDS].flatMap((size) => gramsOf(htmlWords, size)));
  const paragraphs = textParagraphs(text);
  let all = 0;
  let lost = 0;
  const missing = paragraphs.filter((paragraph) => {
    const words = wordsOf(paragraph);
    all += words.length;
    const grams = gramsOf(words, Math.min(GRAM_WORDS, words.length));
    const isMissing = grams.filter((gram) => !known.has(gram)).length > grams.length * MISSING_SHARE;
    if (isMissing) lost += words.length;
    return isMissing;
  });
  return lost > all * DIFFERENT_SHARE ? { before: paragraphs, after: [] } : { before: [], after: missing };
}

/** Words without link addresses, which plain text spells out and HTML doesn't show. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(?:https?:|cid:|www\.|(?<=[<(])mailto:)[^\s<>"')\]]+/gi, " ")
      .replace(/\[(?:image|cid)[^\]\n]{0,200}\]/gi, " ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** All sequences of `size` words. */
function gramsOf(words: readonly string[], size: number): string[] {
  const grams: string[] = [];
  for (let i = 0; size > 0 && i + size <= words.length; i++) grams.push(words.slice(i, i + size).join(" "));
  return grams;
}
