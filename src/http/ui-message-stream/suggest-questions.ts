import type { Citation } from "../../index.js";
import type { WirePassage } from "./ui-message-chunk.js";

const MAX_SUGGESTIONS = 3;
/** The maximum number of chunks from a passage to a cited passage of the same document. */
const MAX_DISTANCE = 8;
/** Longer headings are sentences, and headings of one character are letters of an index. */
const HEADING_LENGTH = { min: 3, max: 70 };
const MAX_WORDS = 10;
/** Matches the number of a heading, such as `3.2 `, `IV. ` or `a) `. */
const NUMBERING_PATTERN = /^(?:\d{1,2}(?:\.\d+)*[.):]?|(?:[IVXLC]+|[a-zA-Z])[.):])\s+/;
/** Matches headings that are clauses, which a question about a subject can't contain. */
const CLAUSE_PATTERN = /^(?:what|when|where|which|who|whose|why|how|if)\b/i;
/** Matches headings that don't name a subject. */
const GENERIC_HEADING_PATTERN =
  /^(?:introduction|overview|contents|table of contents|index|summary|notes?|appendix|references?|faq)$/i;

/** A question that was answered, with its citations. */
interface AnsweredQuestion {
  readonly question: string;
  readonly citations: readonly Citation[];
  /** All passages that were found, best first. */
  readonly passages: readonly WirePassage[];
  /** A question about `{subject}`. */
  readonly suggestion?: string;
}

/** Suggests further questions: about the headings of found passages that are near cited ones and not cited. */
export function suggestQuestions(answered: AnsweredQuestion): readonly string[] {
  const { question, citations, passages, suggestion = "What about {subject}?" } = answered;
  const used = new Set(citations.flatMap(({ headings }) => headings.map(toComparable)));
  const suggestions = new Map<string, string>();
  for (const passage of passages) {
    const heading = passage.headings.at(-1)?.replace(NUMBERING_PATTERN, "").trim() ?? "";
    const key = toComparable(heading);
    const isKnown = used.has(key) || used.has(toComparable(passage.headings.at(-1) ?? "")) || suggestions.has(key);
    if (isKnown || !isSubject(heading) || toComparable(question).includes(key)) continue;
    if (isNearCited(passage, citations)) suggestions.set(key, toQuestion(heading, suggestion));
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
  return (
    isShort && /\p{L}{2}/u.test(heading) && !/[<>[\]{}|`]|:\/\//.test(heading) && !GENERIC_HEADING_PATTERN.test(heading)
  );
}

function toQuestion(heading: string, suggestion: string): string {
  return /[?？؟]$/u.test(heading) || CLAUSE_PATTERN.test(heading)
    ? heading
    : suggestion.replace("{subject}", () => heading.replace(/[\s.:;,!]+$/, ""));
}

function toComparable(text: string): string {
  return text
    .replace(NUMBERING_PATTERN, "")
    .replace(/[\s\p{P}]+/gu, " ")
    .trim()
    .toLowerCase();
}
