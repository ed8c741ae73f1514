import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { reportDamagedText } from "../engine/report-damage.js";
import { estimateTokens } from "../net/estimate-tokens.js";
import type { DocumentRecord } from "../storage/records/document-queries.js";
import type { SearchScope, StoredChunk, StoredPassage } from "../storage/search-index.js";
import type { CallOptions } from "../types.js";
import { groupBy } from "../util/group-by.js";
import type { OrderedCandidate } from "./rerank.js";
import type { HitContext } from "./search-hit.js";
import { readStoredText } from "./stored-text.js";

/** The most neighbours of a hit on either side. */
const MAX_NEIGHBOURS = 32;

/** A candidate, with its neighbours if the search wants them. */
export interface CandidateInContext extends OrderedCandidate {
  readonly context?: HitContext;
}

/** Consecutive chunks of a document, by their ordinals. */
interface Span {
  readonly candidate: OrderedCandidate;
  readonly document: DocumentRecord;
  /** The chunks from the first to the last, in order. */
  readonly chunks: readonly Pick<StoredChunk, "ordinal" | "start" | "end">[];
  /** The ids of the candidates in the span. */
  readonly ids: string[];
}

/**
 * Extends candidates by their neighbours, the best one first, as far as `maxTokens` allow for each. Leaves out candidates
 * that are in the span of a better one. Spans don't overlap.
 * Returns `null` if a document was published again or removed since the search.
 */
export async function readContexts(
  engine: Engine,
  scope: SearchScope,
  { ordered, maxTokens }: { readonly ordered: readonly OrderedCandidate[]; readonly maxTokens: number },
  call: CallOptions,
): Promise<readonly CandidateInContext[] | null> {
  const spans: Span[] = [];
  for (const [documentId, candidates] of groupBy(ordered, ({ passage }) => passage.documentId)) {
    const document = await engine.storage.documents.get(
      { ...scope, principals: scope.principals ?? null, documentId },
      call,
    );
    if (!document || candidates.some(({ passage }) => passage.generation !== document.generation)) return null;
    const taken = new Map<number, Span>();
    for (const candidate of candidates) {
      const { ordinal } = candidate.passage;
      const id = publicChunkId(documentId, ordinal);
      const better = taken.get(ordinal);
      if (better) better.ids.push(id);
      else {
        const isFree = (chunk: StoredChunk) => !taken.has(chunk.ordinal);
        const chunks = await extend(engine, document, candidate.passage, { maxTokens, isFree }, call);
        const span = { candidate, document, chunks, ids: [id] };
        for (const chunk of chunks) taken.set(chunk.ordinal, span);
        spans.push(span);
      }
    }
  }
  const byCandidate = new Map(spans.map((span) => [span.candidate, span]));
  const inOrder = ordered.flatMap((candidate) => byCandidate.get(candidate) ?? []);
  const contexts: CandidateInContext[] = [];
  for (const span of inOrder) {
    const context = await readContext(engine, span, call);
    if (!context) return null;
    contexts.push({ ...span.candidate, context });
  }
  return contexts;
}

/** Returns a chunk and those of its neighbours that fit, in order: one after it and one before it, in turn. */
async function extend(
  engine: Engine,
  { seq: documentSeq, generation }: DocumentRecord,
  passage: StoredPassage,
  { maxTokens, isFree }: { readonly maxTokens: number; readonly isFree: (chunk: StoredChunk) => boolean },
  call: CallOptions,
): Promise<Span["chunks"]> {
  const from = Math.max(0, passage.ordinal - MAX_NEIGHBOURS);
  const limit = passage.ordinal + MAX_NEIGHBOURS + 1 - from;
  const near = await engine.storage.index.readChunks({ documentSeq, generation, from, limit }, call);
  const before = near.filter(({ ordinal }) => ordinal < passage.ordinal).reverse();
  const after = near.filter(({ ordinal }) => ordinal > passage.ordinal);
  const chunks: Pick<StoredChunk, "ordinal" | "start" | "end">[] = [passage];
  let tokensLeft = maxTokens - estimateTokens(passage.text);
  while (before.length > 0 || after.length > 0)
    for (const side of [after, before]) {
      const next = side.shift();
      if (!next) continue;
      const tokens = estimateTokens(next.text);
      // A span has no gaps.
      if (tokens > tokensLeft || next.isDamaged || !isFree(next)) side.length = 0;
      else {
        tokensLeft -= tokens;
        if (side === after) chunks.push(next);
        else chunks.unshift(next);
      }
    }
  return chunks;
}

/** Returns the text of a span; of the candidate alone, as it was found, if a part of the document's text is damaged. */
async function readContext(
  engine: Engine,
  { candidate: { passage }, document, chunks, ids }: Span,
  call: CallOptions,
): Promise<HitContext | null> {
  const start = Math.min(...chunks.map((chunk) => chunk.start));
  const end = Math.max(...chunks.map((chunk) => chunk.end));
  const text = await readStoredText(engine.storage, document, { start, end }, call);
  if (text === null) {
    reportDamagedText(engine, document);
    return { text: passage.text, range: { start: passage.start, end: passage.end }, hits: ids };
  }
  return text.length === end - start ? { text, range: { start, end }, hits: ids } : null;
}
