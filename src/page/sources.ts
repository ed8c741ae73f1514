import { findQuote, joinRanges } from "../http/ranged-text.js";
import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { TextRange } from "../types.js";

/** A passage that an answer cites. */
export interface Source {
  readonly number: number;
  readonly chunkId: string;
  readonly documentId: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly page?: number;
  readonly citations: readonly WireCitation[];
  /** Its text; absent if the server hasn't sent it. */
  readonly passage?: WirePassage;
}

/** A marker in the text of an answer, and what it cites. */
export interface MarkerGroup {
  readonly number: number;
  readonly range: TextRange;
  readonly citations: readonly WireCitation[];
}

/** The cited passages, in the order of their numbers. */
export function toSources(citations: readonly WireCitation[], passages: readonly WirePassage[]): readonly Source[] {
  const sources = new Map<number, Source>();
  for (const citation of citations) {
    const { number, chunkId, documentId, title, headings, page } = citation;
    const passage = passages.find((each) => each.chunkId === chunkId);
    sources.set(number, {
      ...{ number, chunkId, documentId, title, headings },
      ...(page !== undefined && { page }),
      citations: [...(sources.get(number)?.citations ?? []), citation],
      ...(passage && { passage }),
    });
  }
  return [...sources.values()].sort((a, b) => a.number - b.number);
}

/** Citations with the same marker, in the order of the text. */
export function groupByMarker(citations: readonly WireCitation[]): readonly MarkerGroup[] {
  const groups = new Map<number, MarkerGroup>();
  for (const citation of citations) {
    const { number, markerRange } = citation;
    const before = groups.get(markerRange.start)?.citations ?? [];
    groups.set(markerRange.start, { number, range: markerRange, citations: [...before, citation] });
  }
  return [...groups.values()].sort((a, b) => a.range.start - b.range.start);
}

/** Where something stands in its document: headings and page. */
export function placeText({ headings, page }: Pick<Source, "headings" | "page">): string {
  return [...headings, ...(page === undefined ? [] : [`Page ${page}`])].join(" › ");
}

/** Where the text of a passage has the quotes. */
export function quotedRanges({ text }: WirePassage, citations: readonly WireCitation[]): readonly TextRange[] {
  return joinRanges(citations.flatMap(({ quote }) => findQuote(text, quote) ?? []));
}
