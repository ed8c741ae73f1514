import { publicChunkId } from "../domain/ids.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import type { Engine } from "../engine/engine.js";
import { parsePositions, publicPositions } from "../storage/chunk-positions.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { CallOptions, Scope } from "../types.js";
import { explainCandidates } from "./explanation.js";
import type { CandidateInContext } from "./hit-contexts.js";
import { locateHighlights } from "./locate-highlights.js";
import type { OrderedCandidate } from "./rerank.js";
import type { Highlight, Relationships, SearchHit } from "./search-hit.js";
import { type SearchRequest, wordingsOf } from "./search-request.js";

/** Converts ordered candidates to hits with the requested fields. */
export async function toHits<M>(
  engine: Engine,
  scope: Scope,
  request: SearchRequest,
  ordered: readonly CandidateInContext[],
  call: CallOptions,
): Promise<readonly SearchHit<M>[]> {
  const relationships = request.includeRelationships ? await relationshipsOf(engine, ordered, call) : null;
  const highlights = request.includeHighlights ? await highlightsOf(engine, request, ordered, call) : null;
  const explanations = request.explain ? await explainCandidates(engine, scope, request, ordered, call) : null;
  return ordered.map(({ passage, ranked, rerankScore, context }, index) => ({
    id: publicChunkId(passage.documentId, passage.ordinal),
    score: ranked.score,
    ...(rerankScore === undefined ? {} : { rerankScore }),
    text: passage.text,
    ...(request.includeMetadata ? originOf<M>(scope, passage) : {}),
    ...(context && { context }),
    ...(relationships ? { relationships: relationships[index]! } : {}),
    ...(highlights ? { highlights: highlights[index]! } : {}),
    ...(explanations ? { explanation: explanations[index]! } : {}),
  }));
}

/** Converts passages that no search has scored to hits with score 0. */
export function toPassageHits<M>(scope: Scope, passages: readonly StoredPassage[]): readonly SearchHit<M>[] {
  return passages.map((passage) => ({
    id: publicChunkId(passage.documentId, passage.ordinal),
    score: 0,
    text: passage.text,
    ...originOf<M>(scope, passage),
  }));
}

function originOf<M>(
  scope: Scope,
  passage: StoredPassage,
): Pick<SearchHit<M>, "metadata" | "range" | "pages" | "boxes" | "cells"> {
  const { start, end, page, boxes } = passage;
  return {
    metadata: publicMetadata<M>(scope, passage),
    range: { start, end },
    ...publicPositions(page, parsePositions(boxes)),
  };
}

async function highlightsOf(
  engine: Engine,
  request: SearchRequest,
  ordered: readonly OrderedCandidate[],
  call: CallOptions,
): Promise<readonly (readonly Highlight[])[]> {
  const chunkSeqs = ordered.map(({ passage }) => passage.chunkSeq);
  const typed = wordingsOf(request).flatMap((wording) => wording.terms);
  const similar = new Set(
    ordered.flatMap(({ ranked }) => ranked.keyword?.similarWords ?? []).flatMap(({ words }) => words),
  );
  const terms = [...typed, ...[...similar].map((text) => ({ text, prefix: false }))];
  const ranges = await engine.storage.index.highlights({ chunkSeqs, terms }, call);
  return ordered.map(({ passage: { text, page, boxes } }, index) => {
    return locateHighlights(ranges[index]!, text, page, parsePositions(boxes));
  });
}

async function relationshipsOf(
  engine: Engine,
  ordered: readonly OrderedCandidate[],
  call: CallOptions,
): Promise<readonly Relationships[]> {
  const chunkSeqs = ordered.map(({ passage }) => passage.chunkSeq);
  const neighbours = await engine.storage.index.neighbours({ chunkSeqs }, call);
  return ordered.map(({ passage }, index) => {
    const { previous, next, siblings } = neighbours[index]!;
    const idOf = (ordinal: number) => publicChunkId(passage.documentId, ordinal);
    return {
      ...(previous === null ? {} : { previous: idOf(previous) }),
      ...(next === null ? {} : { next: idOf(next) }),
      document: passage.documentId,
      headingPath: passage.headings,
      siblings: siblings.map(idOf),
    };
  });
}
