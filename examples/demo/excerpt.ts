import type { SearchHit } from "lorebase";

/** The part of a passage that a question is about, with its headings. */
export interface Excerpt {
  readonly text: string;
  readonly headings: readonly string[];
}

interface Sentence {
  readonly text: string;
  readonly headings: readonly string[];
  /** The number of words that it shares with the question. */
  readonly shared: number;
}

/** The sentence of a hit that shares the most words with the question, and the text after it under the same heading. */
export function excerptOf(hit: SearchHit, question: string, maxCharacters: number): Excerpt {
  const sentences = sentencesOf(hit, wordsOf(question));
  const best = sentences.reduce((found, { shared }, index) => (shared > sentences[found]!.shared ? index : found), 0);
  const first = sentences[best];
  if (first === undefined) return { text: "", headings: headingsOf(hit) };
  let text = first.text;
  for (const next of sentences.slice(best + 1)) {
    if (next.headings !== first.headings || text.length + next.text.length >= maxCharacters) break;
    text += ` ${next.text}`;
  }
  const cut = text.length > maxCharacters;
  return { text: cut ? `${text.slice(0, text.lastIndexOf(" ", maxCharacters))} …` : text, headings: first.headings };
}

function sentencesOf(hit: SearchHit, wanted: ReadonlySet<string>): Sentence[] {
  let headings = headingsOf(hit);
  const sentences: Sentence[] = [];
  for (const line of hit.text.split("\n")) {
    const [, marks, title] = /^(#{1,6}) (.*)/.exec(line) ?? [];
    if (marks !== undefined && title !== undefined) {
      headings = [...headings.slice(0, marks.length - 1).filter((heading) => heading !== title), title];
      continue;
    }
    for (const text of plain(line).split(/(?<=[.!?]) /)) {
      const shared = [...wordsOf(text)].filter((word) => wanted.has(word)).length;
      if (text !== "") sentences.push({ text, headings, shared });
    }
  }
  return sentences;
}

function headingsOf(hit: SearchHit): readonly string[] {
  const { headings } = hit.metadata ?? {};
  return Array.isArray(headings) ? headings.map(String) : [];
}

/** A line of Markdown without its syntax. */
function plain(line: string): string {
  if (/^\|[ |:-]+\|$/.test(line)) return "";
  return line
    .replace(/^\|\s*|\s*\|$|\*+/g, "")
    .replace(/\s*\|\s*/g, ", ")
    .trim();
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}|\d+/gu));
}
