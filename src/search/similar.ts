import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type Access, readerOf } from "../storage/records/access.js";
import { notFound } from "../storage/records/not-found.js";
import type { Metadata } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { similarSchema } from "../validation/search-schema.js";
import { runSearch, type SearchOptions } from "./search.js";
import type { SearchHit } from "./search-hit.js";
import { parseSearchRequest } from "./search-request.js";
import type { SearchTarget } from "./sources.js";

/** Options of a search for passages like one passage. They mean what they mean for a search. */
export type SimilarOptions<M = Metadata> = Pick<
  SearchOptions<M>,
  | "topK"
  | "perDocument"
  | "filter"
  | "keywordFilter"
  | "minScore"
  | "boosts"
  | "neighbourTokens"
  | "includeRelationships"
  | "includeMetadata"
  | "principals"
  | "signal"
>;

/**
 * Finds the passages whose meaning is nearest to a passage, which is not among them.
 * @param passageId `<document id>#<number>`, as hits have it
 * @throws KnowledgeBaseError `invalid_input`, `not_found` for the document or the passage, and the errors of a semantic search
 */
export async function similar<M>(
  engine: Engine,
  access: Access,
  target: SearchTarget,
  passageId: string,
  options: Omit<SimilarOptions<M>, "principals">,
): Promise<readonly SearchHit<M>[]> {
  const { signal, ...input } = options;
  const { passageId: id, ...search } = parseInput(similarSchema, { ...input, passageId });
  const [documentId, ordinal] = splitPassageId(id);
  const text = await readPassage(engine, access, target, { id, documentId, ordinal }, { signal });
  const query = text.slice(0, MAX_QUERY_LENGTH).toWellFormed();
  const request = parseSearchRequest(engine, { ...search, query, mode: "semantic", rerank: false });
  const excluded = { documentId, ordinal };
  const { hits } = await runSearch<M>(engine, target, { ...request, excluded }, { signal, purpose: "document" });
  return hits;
}

/** @throws KnowledgeBaseError `invalid_input` unless the text is the id of a passage */
function splitPassageId(passageId: string): readonly [documentId: string, ordinal: number] {
  const [, documentId, ordinal] = /^([^#]+)#(0|[1-9]\d{0,8})$/.exec(passageId) ?? [];
  if (documentId !== undefined && ordinal !== undefined) return [documentId, Number(ordinal)];
  const message = `is ${JSON.stringify(passageId)}, not the id of a passage: <document id>#<number>`;
  throw new KnowledgeBaseError("invalid_input", `passageId ${message}`, { issues: [{ field: "passageId", message }] });
}

async function readPassage(
  { storage }: Engine,
  access: Access,
  { scope }: SearchTarget,
  { id, documentId, ordinal }: { readonly id: string; readonly documentId: string; readonly ordinal: number },
  call: { readonly signal: AbortSignal | undefined },
): Promise<string> {
  const document = await storage.documents.getWithoutSource({ ...readerOf(access), documentId }, call);
  if (document?.tenantId !== scope.tenantId) throw notFound("document", documentId);
  const { seq: documentSeq, generation } = document;
  const chunks = await storage.index.readChunks({ documentSeq, generation, from: ordinal, limit: 1 }, call);
  const chunk = chunks.find((found) => found.ordinal === ordinal && !found.isDamaged);
  if (!chunk) throw notFound("passage", id);
  return chunk.text;
}
