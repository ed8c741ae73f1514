import { shownChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import type { ChunkStanding } from "../storage/search-index.js";
import type { CallOptions, Scope } from "../types.js";
import type { DocumentLost, WithoutRank } from "./document-explanation.js";
import type { ExplainContext } from "./explain-context.js";
import {
  type KeywordEvidence,
  keywordEvidence,
  type SemanticEvidence,
  semanticEvidence,
  termsOf,
} from "./explanation.js";
import { HYBRID_DEPTH } from "./retrieve.js";
import type { KeywordFound, SemanticFound } from "./sources.js";

/** How far down the rankings a lost chunk is looked for: the most that hosted vector stores return. */
const DEPTH = 10_000;

/** Why no chunk of a document is in the ranking of a search's mode. */
export async function lostBeforeRanking(
  engine: Engine,
  scope: Scope,
  looked: ExplainContext,
  call: CallOptions,
): Promise<DocumentLost> {
  const { documentId, standing } = looked;
  const lost = { outcome: "lost", documentId } as const;
  const { chunks } = standing;
  if (chunks.length === 0) {
    const status = standing.status!;
    return { ...lost, stage: "status", reason: `It is ${status} and has no published text.`, status };
  }
  const meeting = chunks.filter(({ meetsFilter }) => meetsFilter);
  if (meeting.length === 0) {
    const reason = `None of its ${chunks.length} chunks meets the filter.`;
    return { ...lost, stage: "filter", reason, chunks: chunks.length };
  }
  const searchable = meeting.filter(({ hasRequired }) => hasRequired);
  if (searchable.length === 0) return lostToKeywordFilter(engine, scope, looked, meeting, call);
  return lostToDepth(engine, scope, looked, searchable, call);
}

async function lostToKeywordFilter(
  engine: Engine,
  scope: Scope,
  { documentId, question }: ExplainContext,
  meeting: readonly ChunkStanding[],
  call: CallOptions,
): Promise<DocumentLost> {
  const chunkSeqs = meeting.map(({ chunkSeq }) => chunkSeq);
  const terms = await termsOf(engine, scope, question.required!, chunkSeqs, call);
  const missing = ({ chunkSeq }: ChunkStanding) => terms.get(chunkSeq)!.termsMissing.length;
  const nearest = meeting.reduce((best, chunk) => (missing(chunk) < missing(best) ? chunk : best));
  const { termsFound, termsMissing } = terms.get(nearest.chunkSeq)!;
  return {
    outcome: "lost",
    documentId,
    stage: "keywordFilter",
    reason: `No chunk has every word of the keywordFilter; the nearest lacks ${termsMissing.join(", ")}.`,
    chunkId: shownChunkId(documentId, nearest.ordinal),
    termsFound,
    termsMissing,
  };
}

/** Looks further down the rankings than the search did, for the chunk that came nearest. */
async function lostToDepth(
  engine: Engine,
  scope: Scope,
  { documentId, question, sources, stages }: ExplainContext,
  searchable: readonly ChunkStanding[],
  call: CallOptions,
): Promise<DocumentLost> {
  const ids = new Set(searchable.map(({ id }) => id));
  const [words, meaning] = await Promise.all([sources.keyword?.(DEPTH, false), sources.semantic?.(DEPTH, false)]);
  const byWords: KeywordFound | undefined = words?.found.find(({ id }) => ids.has(id));
  const byMeaning: SemanticFound | undefined = meaning?.found.find(({ id }) => ids.has(id));
  const nearest = [byWords, byMeaning].filter((found) => found !== undefined).sort((a, b) => a.rank - b.rank)[0];
  const chunk = searchable.find(({ id }) => id === nearest?.id) ?? searchable[0]!;
  const terms = (await termsOf(engine, scope, question.terms, [chunk.chunkSeq], call)).get(chunk.chunkSeq)!;
  const ownWords = words?.found.find(({ id }) => id === chunk.id);
  const ownMeaning = meaning?.found.find(({ id }) => id === chunk.id);
  const keyword: KeywordEvidence | WithoutRank = ownWords ? keywordEvidence(ownWords, terms) : { rank: null, ...terms };
  const semantic: SemanticEvidence | null = ownMeaning ? semanticEvidence(ownMeaning) : null;
  const lost = { outcome: "lost", documentId, chunkId: shownChunkId(documentId, chunk.ordinal) } as const;
  const cut = question.mode === "hybrid" ? HYBRID_DEPTH : stages.cut;
  switch (question.mode) {
    case "keyword": {
      const reason = `By words ${placeOf(keyword)}; the first ${cut} go on.`;
      return { ...lost, stage: "keyword", reason, rank: keyword.rank, cut, keyword };
    }
    case "semantic": {
      const reason = `By meaning ${placeOf(semantic)}; the first ${cut} go on.`;
      return { ...lost, stage: "semantic", reason, rank: semantic?.rank ?? null, cut, semantic };
    }
    case "hybrid": {
      const reason = `By words ${placeOf(keyword)}, by meaning ${placeOf(semantic)}; the first ${cut} of each go on.`;
      return { ...lost, stage: "candidates", reason, cut, keyword, semantic };
    }
  }
}

function placeOf(evidence: KeywordEvidence | SemanticEvidence | WithoutRank | null): string {
  if (evidence?.rank) return `it is number ${evidence.rank}`;
  if (evidence && "termsFound" in evidence && evidence.termsFound.length === 0) return "it has none of the query's";
  return `it is not among the first ${DEPTH}`;
}
