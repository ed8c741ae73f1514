import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type Access, readerOf } from "../storage/records/access.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Metadata } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { explainSchema } from "../validation/search-schema.js";
import type { Duplicate } from "./deduplicate.js";
import type { PassedOver } from "./diversify.js";
import type { DocumentExplanation, DroppedDocument, ReturnedChunk } from "./document-explanation.js";
import { type ExplainContext, explainUnranked } from "./explain-unranked.js";
import { explainCandidates, explainRetrieval, type HitExplanation, termsOf } from "./explanation.js";
import type { RankedChunk } from "./ranked-chunk.js";
import { MAX_ATTEMPTS } from "./retrieve.js";
import { runStages, type SearchOptions } from "./search.js";
import { parseSearchRequest, type SearchRequest } from "./search-request.js";
import { openSources, readEpoch, type SearchTarget } from "./sources.js";

/**
 * Each wording of a query is explained by itself, without `alternatives`, and as it is ranked without `boosts` and before hits
 * are left out for `neighbourTokens`.
 */
export interface ExplainOptions<M = Metadata>
  extends Omit<SearchOptions<M>, "alternatives" | "boosts" | "neighbourTokens"> {
  /** The document to look for. */
  readonly documentId: string;
}

/**
 * Runs a search and explains its result for one document: the ranks of its chunks among the hits, or the stage at which
 * its last chunk was dropped. Uses the intermediate results of the search itself.
 *
 * @throws KnowledgeBaseError `invalid_input`, `not_found` if there is no such document, `conflict` (retryable) if the
 * content changes during each attempt, and the errors of the search
 */
export async function explain<M>(
  engine: Engine,
  access: Access,
  target: SearchTarget,
  query: string,
  options: Omit<ExplainOptions<M>, "principals">,
): Promise<DocumentExplanation> {
  const { signal, ...input } = options;
  const { documentId, ...search } = parseInput(explainSchema, { ...input, query });
  const request = parseSearchRequest(engine, { ...search, explain: true });
  signal?.throwIfAborted();
  const document = await engine.storage.documents.getWithoutSource({ ...readerOf(access), documentId });
  if (!document) throw notFound("document", documentId);
  const { tenantId } = target.scope;
  if (document.tenantId !== tenantId) {
    const [actual, searched] = [document.tenantId, tenantId].map(describeTenant);
    const reason = `The document belongs to ${actual}, but ${searched} was searched.`;
    const lost = { stage: "scope", tenantId: document.tenantId, searchedTenantId: tenantId } as const;
    return { outcome: "lost", documentId, reason, ...lost };
  }
  const context = await searchWithContext(engine, target, request, documentId, { signal });
  return explainDocument(engine, target, context, { signal });
}

/** Runs the search and reads the document's eligibility, both at one epoch. */
async function searchWithContext(
  engine: Engine,
  target: SearchTarget,
  request: SearchRequest,
  documentId: string,
  call: CallOptions,
): Promise<ExplainContext> {
  const { scope } = target;
  const { filterNode: filter, required } = request;
  const wordings = await openSources(engine, target, request, call);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const epoch = await readEpoch(engine, scope, call);
    const stages = await runStages(engine, target, request, wordings, call);
    const eligibility = await engine.storage.index.documentEligibility({ scope, documentId, filter, required }, call);
    if (eligibility.status === null) throw notFound("document", documentId);
    if ((await readEpoch(engine, scope, call)) === epoch)
      return { documentId, request, sources: wordings[0]!.sources, stages, eligibility };
  }
  const message = `The content changed during each of ${MAX_ATTEMPTS} searches. Try again when less is being ingested.`;
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

async function explainDocument(
  engine: Engine,
  target: SearchTarget,
  context: ExplainContext,
  call: CallOptions,
): Promise<DocumentExplanation> {
  const { documentId, request, stages, eligibility } = context;
  const explanations = await explainCandidates(engine, target.scope, request, stages.ordered, call);
  const ordered = stages.ordered
    .map(({ passage, ranked }, index) => ({
      passage,
      score: ranked.score,
      rank: index + 1,
      explanation: explanations[index]!,
    }))
    .filter(({ passage }) => passage.documentId === documentId)
    .map(({ passage, ...ranking }) => ({ id: publicChunkId(documentId, passage.ordinal), ...ranking }));
  const hits = ordered.filter(({ rank }) => rank <= request.limit);
  if (hits.length > 0) return { outcome: "returned", documentId, hits };
  const [last] = ordered;
  if (last) return explainLimit(context, last);
  const passedOver = stages.passedOver.find(({ candidate }) => candidate.passage.documentId === documentId);
  if (passedOver) return explainPassedOver(engine, target, context, passedOver, call);
  const chunks = new Map(eligibility.chunks.map((chunk) => [chunk.id, chunk]));
  const ranked = stages.ranking.find(({ id }) => chunks.has(id));
  if (!ranked) return explainUnranked(engine, target.scope, context, call);
  const chunk = chunks.get(ranked.id)!;
  const terms = await termsOf(engine, target.scope, request.terms, [chunk.chunkSeq], call);
  const explanation = await explainRetrieval(engine, target.scope, ranked, terms.get(chunk.chunkSeq)!, call);
  const lost = { chunkId: publicChunkId(documentId, chunk.ordinal), explanation };
  const duplicate = stages.duplicates.find(({ ranked: { id } }) => id === ranked.id);
  if (duplicate) return explainDuplicate(documentId, duplicate, lost);
  return explainCut(context, ranked, lost);
}

function explainLimit(
  { documentId, request, stages }: ExplainContext,
  { id: chunkId, rank, explanation }: ReturnedChunk,
): DroppedDocument {
  const { limit: cut, reranker } = request;
  const subject = reranker ? `${reranker.model} ranked the chunk` : "The chunk is";
  const reason = `${subject} number ${rank} of ${stages.ordered.length}; only the first ${cut} are returned.`;
  const rerank = explanation.rerank ?? null;
  return { outcome: "lost", documentId, stage: "rerank", reason, chunkId, rank, cut, rerank, explanation };
}

/** Explains the best-ranked chunk of a document for which `diversity` chose others. */
async function explainPassedOver(
  engine: Engine,
  { scope }: SearchTarget,
  { documentId, request }: ExplainContext,
  { candidate, rank, similarity, similarTo }: PassedOver,
  call: CallOptions,
): Promise<DroppedDocument> {
  const { passage, ranked } = candidate;
  const terms = await termsOf(engine, scope, request.terms, [passage.chunkSeq], call);
  const explanation = await explainRetrieval(engine, scope, ranked, terms.get(passage.chunkSeq)!, call);
  const similarId = similarity === 0 ? null : publicChunkId(similarTo.passage.documentId, similarTo.passage.ordinal);
  const shared = `${Math.round(similarity * 100)} % of the words of both in common with ${similarId}`;
  const reason =
    `With the diversity of ${request.diversity}, ${request.topK} other passages were chosen: the chunk has rank ${rank} by ` +
    `its score of ${ranked.score}, and ${similarId === null ? "no words in common with any of them" : shared}.`;
  const lost = { outcome: "lost", documentId, stage: "diversity", reason } as const;
  const chunkId = publicChunkId(documentId, passage.ordinal);
  return { ...lost, chunkId, rank, cut: request.topK, similarity, similarTo: similarId, explanation };
}

interface ExplainedChunk {
  readonly chunkId: string;
  readonly explanation: HitExplanation;
}

function explainDuplicate(
  documentId: string,
  { ranked, original, similarity }: Duplicate,
  chunk: ExplainedChunk,
): DroppedDocument {
  const duplicateOf = publicChunkId(original.passage.documentId, original.passage.ordinal);
  const ranks = `at rank ${original.ranked.rank}, and this chunk at rank ${ranked.rank}`;
  const reason =
    similarity === null
      ? `${duplicateOf}, from a document with the same content, has the same text ${ranks}.`
      : `${duplicateOf} has ${Math.round(similarity * 100)} % of the words of both, more than maxSimilarity, ${ranks}.`;
  return { outcome: "lost", documentId, stage: "duplicate", reason, duplicateOf, ...chunk };
}

function explainCut(
  { documentId, request, stages }: ExplainContext,
  { rank, score }: RankedChunk,
  chunk: ExplainedChunk,
): DroppedDocument {
  const { minScore = 0 } = request;
  const { cut } = stages;
  const { fusion } = chunk.explanation;
  if (fusion && rank > cut) {
    const reason = `The chunk's fused rank is ${rank}; only the first ${cut} pass.`;
    return { outcome: "lost", documentId, stage: "fusion", reason, rank, cut, fusion, ...chunk };
  }
  const reason = `The chunk's score is ${score}, below the minScore of ${minScore}.`;
  return { outcome: "lost", documentId, stage: "minScore", reason, score, minScore, ...chunk };
}

function describeTenant(tenantId: string | null): string {
  return tenantId === null ? "the default partition" : `the tenant ${tenantId}`;
}
