import { publicChunkId } from "../domain/ids.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import type { Engine } from "../engine/engine.js";
import { parsePositions, publicPositions } from "../storage/chunk-positions.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { CallOptions, Scope } from "../types.js";
import { explainOrder } from "./explanation.js";
import { placeHighlights } from "./place-highlights.js";
import type { Question } from "./question.js";
import type { Ordered } from "./rerank.js";
import type { Highlight, Relationships, SearchHit } from "./search-hit.js";

/** Converts ordered candidates to hits, with the requested extras. */
export async function shape<M>(
  engine: Engine,
  scope: Scope,
  question: Question,
  ordered: readonly Ordered[],
  call: CallOptions,
): Promise<readonly SearchHit<M>[]> {
  const relationships = question.includeRelationships ? await relationshipsOf(engine, ordered, call) : null;
  const highlights = question.includeHighlights ? await highlightsOf(engine, question, ordered, call) : null;
  const explanations = question.explain ? await explainOrder(engine, scope, question, ordered, call) : null;
  return ordered.map(({ passage, found, rerankScore }, index) => ({
    id: publicChunkId(passage.documentId, passage.ordinal),
    score: found.score,
    ...(rerankScore === undefined ? {} : { rerankScore }),
    text: passage.text,
    ...(question.includeMetadata ? originOf<M>(scope, passage) : {}),
    ...(relationships ? { relationships: relationships[index]! } : {}),
    ...(highlights ? { highlights: highlights[index]! } : {}),
    ...(explanations ? { explanation: explanations[index]! } : {}),
  }));
}

function originOf<M>(
  scope: Scope,
  passage: StoredPassage,
): Pick<SearchHit<M>, "metadata" | "range" | "pages" | "boxes"> {
  const { start, end, page, boxes } = passage;
  return {
    metadata: publicMetadata<M>(scope, passage),
    range: { start, end },
    ...publicPositions(page, parsePositions(boxes)),
  };
}

async function highlightsOf(
  engine: Engine,
  { terms }: Question,
  ordered: readonly Ordered[],
  call: CallOptions,
): Promise<readonly (readonly Highlight[])[]> {
  const chunkSeqs = ordered.map(({ passage }) => passage.chunkSeq);
  const found = await engine.storage.index.highlights({ chunkSeqs, terms }, call);
  return ordered.map(({ passage: { text, page, boxes } }, index) => {
    return placeHighlights(found[index]!, text, page, parsePositions(boxes));
  });
}

async function relationshipsOf(
  engine: Engine,
  ordered: readonly Ordered[],
  call: CallOptions,
): Promise<readonly Relationships[]> {
  const chunkSeqs = ordered.map(({ passage }) => passage.chunkSeq);
  const around = await engine.storage.index.neighbours({ chunkSeqs }, call);
  return ordered.map(({ passage }, index) => {
    const { previous, next, siblings } = around[index]!;
    const id = (ordinal: number) => publicChunkId(passage.documentId, ordinal);
    return {
      ...(previous === null ? {} : { previous: id(previous) }),
      ...(next === null ? {} : { next: id(next) }),
      document: passage.documentId,
      headingPath: passage.headings,
      siblings: siblings.map(id),
    };
  });
}
