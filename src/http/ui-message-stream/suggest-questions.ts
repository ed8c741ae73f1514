import type { Citation } from "../../index.js";
import type { WirePassage } from "./ui-message-chunk.js";

const MAX_SUGGESTIONS = 3;
/** In chunks, between a passage and the nearest cited one of its document. */
const MAX_DISTANCE = 8;
/** Longer headings are sentences, and headings of one character are letters of an index. */
const HEADING_LENGTH = { min: 3, max: 70 };
const MAX_WORDS = 10;
/** Such as `3.2 `, `IV. ` or `a) `. */
const NUMBERING = /^(?:\d{1,2}(?:\.\d+)*[.):]?|(?:[IVXLC]+|[a-zA-Z])[.):])\s+/;
/** "What about" doesn't go with a clause. */
const CLAUSE = /^(?:what|when|where|which|who|whose|why|how|if)\b/i;
/** Sections that say nothing about their subject. */
const GENERIC = /^(?:introduction|overview|contents|table of contents|index|summary|notes?|appendix|references?|faq)$/i;

interface Asked {
  readonly question: string;
  readonly citations: readonly Citation[];
  /** All passages that were found, best first. */
  readonly passages: readonly WirePassage[];
}

/** Further questions, from the headings of passages that were found near the cited ones and not cited themselves. */
export function suggestQuestions({ question, citations, passages }: Asked): readonly string[] {
  const used = new Set(citations.flatMap(({ headings }) => headings.map(comparable)));
  const suggestions = new Map<string, string>();
  for (const passage of passages) {
    const heading = passage.headings.at(-1)?.replace(NUMBERING, "").trim() ?? "";
    const key = comparable(heading);
    const isKnown = used.has(key) || used.has(comparable(passage.headings.at(-1) ?? "")) || suggestions.has(key);
    if (isKnown || !isSubject(heading) || comparable(question).includes(key)) continue;
    if (isNearCited(passage, citations)) suggestions.set(key, toQuestion(heading));
    if (suggestions.size === MAX_SUGGESTIONS) break;
  }
  return [...suggestions.values()];
}

function isNearCited({ chunkId, documentId }: WirePassage, citations: readonly Citation[]): boolean {
  return citations.some((citation) => {
    const distance = Math.abs(ordinalOf(citation.chunkId) - ordinalOf(chunkId));
    return citation.documentId === documentId && distance > 0 && distance <= MAX_DISTANCE;
  });
}

function ordinalOf(chunkId: string): number {
  return Number(chunkId.slice(chunkId.lastIndexOf("#") + 1));
}

function isSubject(heading: string): boolean {
  const { min, max } = HEADING_LENGTH;
  const isShort = heading.length >= min && heading.length <= max && heading.split(/\s+/).length <= MAX_WORDS;
  return isShort && /\p{L}{2}/u.test(heading) && !/[<>[\]{}|`]|:\/\//.test(heading) && !GENERIC.test(heading);
}

function toQuestion(heading: string): string {
  return /[?？؟]$/u.test(heading) || CLAUSE.test(heading)
    ? heading
    : `What about ${heading.replace(/[\s.:;,!]+$/, "")}?`;
}

function comparable(text: string): string {
  return text
    .replace(NUMBERING, "")
    .replace(/[\s\p{P}]+/gu, " ")
    .trim()
    .toLowerCase();
}
