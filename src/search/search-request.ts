import type { z } from "zod";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type FilterNode, parseFilter } from "../filter.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { DriverRegistry } from "../providers/driver-registry.js";
import { canonicalRerankerName, hostedVendorOf } from "../providers/reranker-names.js";
import type { KeywordTerm } from "../text-analysis/keyword-term.js";
import { suggestName } from "../validation/did-you-mean.js";
import { parseInput } from "../validation/parse-input.js";
import { searchSchema } from "../validation/search-schema.js";
import { type ParsedBoost, parseBoosts } from "./boosts.js";
import { parseKeywordTerms, parseRequiredTerms } from "./keyword-query.js";

/** A passage of the document's current generation. */
export interface PassageRef {
  readonly documentId: string;
  readonly ordinal: number;
}

/** A validated search with defaults filled in, for the search stages. */
export interface SearchRequest extends z.output<typeof searchSchema> {
  readonly filterNode: FilterNode | null;
  /** Terms that a chunk must contain; `null` without a keyword filter. */
  readonly required: readonly KeywordTerm[] | null;
  /** The query's terms. Computed lazily: a semantic search does not need them. */
  readonly terms: readonly KeywordTerm[];
  readonly parsedBoosts: readonly ParsedBoost[];
  readonly reranker: Reranker | null;
  /** A passage that is no hit; `null` for none. */
  readonly excluded: PassageRef | null;
  /** Number of hits to return, at most `topK`. */
  readonly limit: number;
}

/** @throws KnowledgeBaseError `invalid_input` that names each invalid field, its value and the rule */
export function parseSearchRequest(
  engine: Engine,
  input: { readonly query: string; readonly [option: string]: unknown },
): SearchRequest {
  const parsed = parseInput(searchSchema, input);
  // An unknown name is an error even with `rerank: false`.
  const reranker = resolveReranker(engine.drivers, parsed.rerankModel);
  return withTerms({
    ...parsed,
    filterNode: parsed.filter === undefined ? null : parseFilter(parsed.filter),
    required: parsed.keywordFilter === undefined ? null : parseRequiredTerms(parsed.keywordFilter),
    parsedBoosts: parseBoosts(parsed.boosts),
    reranker: parsed.rerank ? reranker : null,
    excluded: null,
    limit: Math.min(parsed.rerankLimit ?? parsed.topK, parsed.topK),
  });
}

/** Returns the search for each wording: that of the query first, then those of its alternatives. */
export function wordingsOf(request: SearchRequest): readonly SearchRequest[] {
  const alternatives = new Set(request.alternatives.filter((query) => query !== request.query));
  return [request, ...[...alternatives].map((query) => withTerms({ ...request, query }))];
}

function withTerms(request: Omit<SearchRequest, "terms">): SearchRequest {
  let terms: readonly KeywordTerm[] | null = null;
  return {
    ...request,
    get terms() {
      terms ??= parseKeywordTerms(request.query);
      return terms;
    },
  };
}

type Rerankers = Pick<DriverRegistry, "rerankers" | "defaultReranker">;

/** Returns a configured reranker by name or alias, or the default if no name is given; `null` if there is none. */
export function findConfiguredReranker({ rerankers, defaultReranker }: Rerankers, model?: string): Reranker | null {
  if (model === undefined) return defaultReranker;
  const name = canonicalRerankerName(model);
  return rerankers.find((reranker) => reranker.model === name) ?? null;
}

/**
 * Returns the reranker that a search names, or the default; `null` if no name is given and none is configured.
 * @throws KnowledgeBaseError `invalid_input` for a name that is not configured
 */
function resolveReranker(drivers: Rerankers, model: string | undefined): Reranker | null {
  const found = findConfiguredReranker(drivers, model);
  if (found || model === undefined) return found;
  const message = `names ${JSON.stringify(model)}, which is not configured${hintFor(canonicalRerankerName(model), drivers.rerankers)}`;
  throw new KnowledgeBaseError("invalid_input", `rerankModel ${message}`, {
    issues: [{ field: "rerankModel", message, reference: true }],
  });
}

function hintFor(name: string, rerankers: readonly Reranker[]): string {
  const configured = rerankers.map((reranker) => reranker.model);
  const vendor = hostedVendorOf(name);
  if (vendor && !configured.some((model) => model.startsWith(`${vendor}:`)))
    return `: the option managed.${vendor} is missing`;
  const near = suggestName(name, configured);
  return near ? `; did you mean ${near}?` : `; configured: ${configured.join(", ") || "none"}`;
}
