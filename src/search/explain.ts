import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Metadata } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { explainSchema } from "../validation/search-schema.js";
import type { Duplicate } from "./deduplicate.js";
import type { DocumentExplanation, DocumentLost, ReturnedChunk } from "./document-explanation.js";
import { explainOrder, explainRetrieval, type HitExplanation, termsOf } from "./explanation.js";
import type { Found } from "./found.js";
import { type ExplainContext, lostBeforeRanking } from "./lost-before-ranking.js";
import { type Question, toQuestion } from "./question.js";
import { MAX_ATTEMPTS } from "./retrieve.js";
import { runStages, type SearchOptions } from "./search.js";
import { epochOf, openSources, type SearchTarget } from "./sources.js";

export interface ExplainOptions<M = Metadata> extends SearchOptions<M> {
  /** The document to look for. */
  readonly documentId: string;
}

/**
 * Runs a search and explains its result for one document: the ranks of its chunks among the hits, or the stage at which
 * the last of them was dropped. Uses the intermediate results of the search itself.
 *
 * @throws KnowledgeBaseError `invalid_input`, `not_found` for the document, `conflict` (retryable) if the content
 * changes during each attempt, and the errors of the search
 */
export async function explain<M>(
  engine: Engine,
  access: Access,
  target: SearchTarget,
  query: string,
  options: ExplainOptions<M>,
): Promise<DocumentExplanation> {
  const { signal, ...input } = options;
  const { documentId, ...search } = parseInput(explainSchema, { ...input, query });
  const question = toQuestion(engine, { ...search, explain: true });
  signal?.throwIfAborted();
  const document = await engine.storage.documents.find({ ...ownerOf(access), documentId });
  if (!document) throw notFound("document", documentId);
  const { tenantId } = target.scope;
  if (document.tenantId !== tenantId) {
    const [own, searched] = [document.tenantId, tenantId].map(describeTenant);
    const reason = `The document belongs to ${own}, but ${searched} was searched.`;
    const lost = { stage: "scope", tenantId: document.tenantId, searchedTenantId: tenantId } as const;
    return { outcome: "lost", documentId, reason, ...lost };
  }
  const context = await searchWithContext(engine, target, question, documentId, { signal });
  return explainDocument(engine, target, context, { signal });
}

/** Runs the search and reads the document's standing at one epoch. */
async function searchWithContext(
  engine: Engine,
  target: SearchTarget,
  question: Question,
  documentId: string,
  call: CallOptions,
): Promise<ExplainContext> {
  const { scope } = target;
  const { filterNode: filter, required } = question;
  const sources = await openSources(engine, target, question, call);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const epoch = await epochOf(engine, scope, call);
    const stages = await runStages(engine, target, question, sources, call);
    const standing = await engine.storage.index.documentStanding({ scope, documentId, filter, required }, call);
    if (standing.status === null) throw notFound("document", documentId);
    if ((await epochOf(engine, scope, call)) === epoch) return { documentId, question, sources, stages, standing };
  }
  const message = `The content changed during each of ${MAX_ATTEMPTS} searches. Explain again when less is being ingested.`;
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

async function explainDocument(
  engine: Engine,
  target: SearchTarget,
  context: ExplainContext,
  call: CallOptions,
): Promise<DocumentExplanation> {
  const { documentId, question, stages, standing } = context;
  const explanations = await explainOrder(engine, target.scope, question, stages.ordered, call);
  const ordered = stages.ordered
    .map(({ passage, found }, index) => ({
      passage,
      score: found.score,
      rank: index + 1,
      explanation: explanations[index]!,
    }))
    .filter(({ passage }) => passage.documentId === documentId)
    .map(({ passage, ...ranking }) => ({ id: publicChunkId(documentId, passage.ordinal), ...ranking }));
  const hits = ordered.filter(({ rank }) => rank <= question.limit);
  if (hits.length > 0) return { outcome: "returned", documentId, hits };
  const [last] = ordered;
  if (last) return lostToLimit(context, last);
  const chunks = new Map(standing.chunks.map((chunk) => [chunk.id, chunk]));
  const found = stages.ranking.find(({ id }) => chunks.has(id));
  if (!found) return lostBeforeRanking(engine, target.scope, context, call);
  const chunk = chunks.get(found.id)!;
  const terms = await termsOf(engine, target.scope, question.terms, [chunk.chunkSeq], call);
  const explanation = explainRetrieval(found, terms.get(chunk.chunkSeq)!);
  const lost = { chunkId: publicChunkId(documentId, chunk.ordinal), explanation };
  const duplicate = stages.duplicates.find(({ found: { id } }) => id === found.id);
  if (duplicate) return lostToDuplicate(documentId, duplicate, lost);
  return lostToScore(context, found, lost);
}

function lostToLimit(
  { documentId, question, stages }: ExplainContext,
  { id: chunkId, rank, explanation }: ReturnedChunk,
): DocumentLost {
  const { limit: cut, reranker } = question;
  const subject = reranker ? `${reranker.model} ranked it` : "It is";
  const reason = `${subject} number ${rank} of ${stages.ordered.length}; ${cut} are returned.`;
  const rerank = explanation.rerank ?? null;
  return { outcome: "lost", documentId, stage: "rerank", reason, chunkId, rank, cut, rerank, explanation };
}

interface ExplainedChunk {
  readonly chunkId: string;
  readonly explanation: HitExplanation;
}

function lostToDuplicate(documentId: string, { found, original }: Duplicate, chunk: ExplainedChunk): DocumentLost {
  const duplicateOf = publicChunkId(original.passage.documentId, original.passage.ordinal);
  const ranks = `at rank ${original.found.rank}; this chunk has rank ${found.rank}`;
  const reason = `${duplicateOf} has the same text from a document with the same content, ${ranks}.`;
  return { outcome: "lost", documentId, stage: "duplicate", reason, duplicateOf, ...chunk };
}

function lostToScore(
  { documentId, question, stages }: ExplainContext,
  { rank, score }: Found,
  chunk: ExplainedChunk,
): DocumentLost {
  const { minScore = 0 } = question;
  const { cut } = stages;
  const { fusion } = chunk.explanation;
  if (fusion && rank > cut) {
    const reason = `Its fused rank is ${rank}; the first ${cut} pass.`;
    return { outcome: "lost", documentId, stage: "fusion", reason, rank, cut, fusion, ...chunk };
  }
  const reason = `Its score is ${score}, below the minScore of ${minScore}.`;
  return { outcome: "lost", documentId, stage: "minScore", reason, score, minScore, ...chunk };
}

function describeTenant(tenantId: string | null): string {
  return tenantId === null ? "the default partition" : `the tenant ${tenantId}`;
}
