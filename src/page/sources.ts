import { cellLabels } from "../domain/cell-labels.js";
import { findQuote, mergeRanges } from "../http/ranged-text.js";
import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { TextRange } from "../types.js";
import { groupBy } from "../util/group-by.js";
import { strings, withNumber } from "./strings.js";

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

/** The cited passages, in the order of their numbers. Each stands where its first citation does, which it opens. */
export function toSources(citations: readonly WireCitation[], passages: readonly WirePassage[]): readonly Source[] {
  const groups = groupBy(citations, ({ number }) => number);
  const sources = [...groups.values()].map((group): Source => {
    const { number, chunkId, documentId, title, headings, page } = group[0]!;
    const passage = passages.find((each) => each.chunkId === chunkId);
    return {
      ...{ number, chunkId, documentId, title, headings, citations: group },
      ...(page !== undefined && { page }),
      ...(passage && { passage }),
    };
  });
  return sources.sort((a, b) => a.number - b.number);
}

/** Citations with the same marker, in the order of the text. */
export function groupByMarker(citations: readonly WireCitation[]): readonly MarkerGroup[] {
  const groups = groupBy(citations, ({ markerRange }) => markerRange.start);
  return [...groups.values()]
    .map((group) => ({ number: group[0]!.number, range: group[0]!.markerRange, citations: group }))
    .sort((a, b) => a.range.start - b.range.start);
}

/** Where something stands in its document: headings, and the page or, in a workbook, the cells. */
export function placeText({ headings, page, cells = [] }: Pick<WireCitation, "headings" | "page" | "cells">): string {
  const pageText = page === undefined ? [] : [withNumber(strings.page, page)];
  const labels = cellLabels(cells, headings);
  return [...headings, ...(labels.length > 0 ? labels : pageText)].join(" › ");
}

/** Where a text has the quotes. */
export function quotedRanges(text: string, citations: readonly WireCitation[]): readonly TextRange[] {
  return mergeRanges(citations.flatMap(({ quote }) => findQuote(text, quote) ?? []));
}
