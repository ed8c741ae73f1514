import { KnowledgeBaseError } from "../errors.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { DriverRegistry } from "../providers/driver-registry.js";
import { canonicalRerankerName, hostedVendorOf } from "../providers/reranker-names.js";
import { suggestName } from "../validation/did-you-mean.js";

/**
 * Finds a configured reranker by name or alias. Without a name returns the default, or `null` if there is none.
 * @throws KnowledgeBaseError `invalid_input` for a name that is not configured
 */
export function findReranker(
  { rerankers, defaultReranker }: Pick<DriverRegistry, "rerankers" | "defaultReranker">,
  model: string | undefined,
): Reranker | null {
  if (model === undefined) return defaultReranker;
  const name = canonicalRerankerName(model);
  const found = rerankers.find((reranker) => reranker.model === name);
  if (found) return found;
  const message = `names ${JSON.stringify(model)}, which is not configured${hintFor(name, rerankers)}`;
  throw new KnowledgeBaseError("invalid_input", `rerankModel ${message}`, {
    issues: [{ field: "rerankModel", message, reference: true }],
  });
}

function hintFor(name: string, rerankers: readonly Reranker[]): string {
  const configured = rerankers.map((reranker) => reranker.model);
  const vendor = hostedVendorOf(name);
  if (vendor && !configured.some((known) => known.startsWith(`${vendor}:`)))
    return `: the option managed.${vendor} is missing`;
  const near = suggestName(name, configured);
  return near ? `; did you mean ${near}?` : `; configured: ${configured.join(", ") || "none"}`;
}
