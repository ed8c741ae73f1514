import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import type { ChunkEligibility, DocumentEligibility } from "../storage/search-index.js";
import type { CallOptions, Scope } from "../types.js";
import { candidateCount } from "./diversify.js";
import type { DroppedDocument, WithoutRank } from "./document-explanation.js";
import {
  type KeywordEvidence,
  keywordEvidence,
  type SemanticEvidence,
  semanticEvidence,
  termsOf,
} from "./explanation.js";
import { HYBRID_DEPTH } from "./retrieve.js";
import type { Stages } from "./search.js";
import type { SearchRequest } from "./search-request.js";
import type { KeywordMatch, SemanticMatch, Sources } from "./sources.js";

/** How many ranks to search for a dropped chunk: as many as hosted vector stores return. */
const MAX_DEPTH = 10_000;

/** The results of a search and a document's eligibility for the search, at one epoch of the scope. */
export interface ExplainContext {
  readonly documentId: string;
  readonly request: SearchRequest;
  readonly sources: Sources;
  readonly stages: Stages;
  readonly eligibility: DocumentEligibility;
}

/** Explains why no chunk of a document is in the ranking. */
export async function explainUnranked(
  engine: Engine,
  scope: Scope,
  context: ExplainContext,
  call: CallOptions,
): Promise<DroppedDocument> {
  const { documentId, eligibility } = context;
  const lost = { outcome: "lost", documentId } as const;
  const { chunks } = eligibility;
  if (chunks.length === 0) {
    const status = eligibility.status!;
    return { ...lost, stage: "status", reason: `The document is ${status} and has no published text.`, status };
  }
  const matching = chunks.filter(({ meetsFilter }) => meetsFilter);
  if (matching.length === 0) {
    const reason = `None of the document's ${chunks.length} chunks match the filter.`;
    return { ...lost, stage: "filter", reason, chunks: chunks.length };
  }
  const searchable = matching.filter(({ hasRequired }) => hasRequired);
  if (searchable.length === 0) return explainKeywordFilter(engine, scope, context, matching, call);
  return explainRank(engine, scope, context, searchable, call);
}

async function explainKeywordFilter(
  engine: Engine,
  scope: Scope,
  { documentId, request }: ExplainContext,
  matching: readonly ChunkEligibility[],
  call: CallOptions,
): Promise<DroppedDocument> {
  const chunkSeqs = matching.map(({ chunkSeq }) => chunkSeq);
  const terms = await termsOf(engine, scope, request.required!, chunkSeqs, call);
  const missingCount = ({ chunkSeq }: ChunkEligibility) => terms.get(chunkSeq)!.termsMissing.length;
  const closest = matching.reduce((best, chunk) => (missingCount(chunk) < missingCount(best) ? chunk : best));
  const { termsFound, termsMissing } = terms.get(closest.chunkSeq)!;
  return {
    outcome: "lost",
    documentId,
    stage: "keywordFilter",
    reason: `No chunk has all words of the keywordFilter; the closest chunk lacks ${termsMissing.join(", ")}.`,
    chunkId: publicChunkId(documentId, closest.ordinal),
    termsFound,
    termsMissing,
  };
}

/** Searches deeper than the original search to find the document's best-ranked chunk. */
async function explainRank(
  engine: Engine,
  scope: Scope,
  { documentId, request, sources, stages }: ExplainContext,
  searchable: readonly ChunkEligibility[],
  call: CallOptions,
): Promise<DroppedDocument> {
  const ids = new Set(searchable.map(({ id }) => id));
  const [byKeyword, bySemantic] = await Promise.all([
    // As many are ordered by their texts as in the original search, so that the chunk has the rank that it had there.
    sources.keyword?.(MAX_DEPTH, false, candidateCount(request)),
    sources.semantic?.(MAX_DEPTH, false),
  ]);
  const bestKeyword: KeywordMatch | undefined = byKeyword?.matches.find(({ id }) => ids.has(id));
  const bestSemantic: SemanticMatch | undefined = bySemantic?.matches.find(({ id }) => ids.has(id));
  const best = [bestKeyword, bestSemantic].filter((match) => match !== undefined).sort((a, b) => a.rank - b.rank)[0];
  const chunk = searchable.find(({ id }) => id === best?.id) ?? searchable[0]!;
  const terms = (await termsOf(engine, scope, request.terms, [chunk.chunkSeq], call)).get(chunk.chunkSeq)!;
  const keywordMatch = byKeyword?.matches.find(({ id }) => id === chunk.id);
  const semanticMatch = bySemantic?.matches.find(({ id }) => id === chunk.id);
  const keyword: KeywordEvidence | WithoutRank = keywordMatch
    ? await keywordEvidence(engine, scope, keywordMatch, terms, call)
    : { rank: null, ...terms };
  const semantic: SemanticEvidence | null = semanticMatch ? semanticEvidence(semanticMatch) : null;
  const lost = { outcome: "lost", documentId, chunkId: publicChunkId(documentId, chunk.ordinal) } as const;
  const cut = request.mode === "hybrid" ? HYBRID_DEPTH : stages.cut;
  switch (request.mode) {
    case "keyword": {
      const reason = `In the keyword ranking, ${describeRank("the chunk", keyword)}; only the first ${cut} pass.`;
      return { ...lost, stage: "keyword", reason, rank: keyword.rank, cut, keyword };
    }
    case "semantic": {
      const reason = `In the semantic ranking, ${describeRank("the chunk", semantic)}; only the first ${cut} pass.`;
      return { ...lost, stage: "semantic", reason, rank: semantic?.rank ?? null, cut, semantic };
    }
    case "hybrid": {
      const ranks = `${describeRank("the chunk", keyword)}; in the semantic ranking, ${describeRank("it", semantic)}`;
      const reason = `In the keyword ranking, ${ranks}. Only the first ${cut} of each ranking pass.`;
      return { ...lost, stage: "candidates", reason, cut, keyword, semantic };
    }
  }
}

function describeRank(subject: string, evidence: KeywordEvidence | SemanticEvidence | WithoutRank | null): string {
  if (evidence?.rank) return `${subject} has rank ${evidence.rank}`;
  const hasNoTerm = evidence && "termsFound" in evidence && evidence.termsFound.length === 0;
  return hasNoTerm ? `${subject} has no term of the query` : `${subject} is not among the first ${MAX_DEPTH}`;
}
