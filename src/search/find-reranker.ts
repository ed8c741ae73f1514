import { KnowledgeBaseError } from "../errors.js";
import type { Reranker } from "../interfaces/reranker.js";
import { nearest } from "../nearest.js";

/** The interface's neutral vendor names. */
const VENDOR_ALIASES: readonly (readonly [string, string])[] = [
  ["vendor_a:", "cohere:"],
  ["vendor_b:", "zeroentropy:"],
];

/**
 * The configured reranker of that name; without a name the first, null where there is none.
 * @throws KnowledgeBaseError `invalid_input` for a name that is not configured
 */
export function findReranker(rerankers: readonly Reranker[], model: string | undefined): Reranker | null {
  if (model === undefined) return rerankers[0] ?? null;
  const alias = VENDOR_ALIASES.find(([prefix]) => model.startsWith(prefix));
  const name = alias ? alias[1] + model.slice(alias[0].length) : model;
  const found = rerankers.find((reranker) => reranker.model === name);
  if (found) return found;
  const configured = rerankers.map((reranker) => reranker.model);
  const near = nearest(name, configured);
  const message = `names ${JSON.stringify(model)}, which is not configured${near ? `; did you mean ${near}?` : `; configured: ${configured.join(", ") || "none"}`}`;
  throw new KnowledgeBaseError("invalid_input", `rerankModel ${message}`, {
    issues: [{ field: "rerankModel", message, reference: true }],
  });
}
