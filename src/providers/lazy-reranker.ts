import { KnowledgeBaseError } from "../errors.js";
import type { AnyProvider, ProviderContext } from "../interfaces/provider.js";
import type { Reranker } from "../interfaces/reranker.js";
import { batchingReranker } from "./batching-reranker.js";
import { canonicalRerankerName } from "./reranker-names.js";

/**
 * Creates a reranker by name: `vendor:model`, or the vendor alone for the vendor's default model. The first search
 * opens the model; concurrent searches share the attempt, and aborting one search does not cancel it. After a failure,
 * the next search tries again.
 *
 * @throws KnowledgeBaseError `invalid_input` for an unknown vendor or an invalid model
 */
export function lazyReranker(
  name: string,
  providers: readonly AnyProvider<Reranker>[],
  context: ProviderContext,
): Reranker {
  const [vendor, ...parts] = canonicalRerankerName(name).split(":");
  const provider = providers.find((candidate) => candidate.provider === vendor);
  if (!provider) {
    const available = providers.map((candidate) => `${candidate.provider}:<model>`).join(", ");
    throw new KnowledgeBaseError(
      "invalid_input",
      `rerankers: ${JSON.stringify(name)} is not a known reranker; known: ${available}`,
    );
  }
  const parsed = provider.config.safeParse({ provider: vendor, ...(parts.length > 0 && { model: parts.join(":") }) });
  if (!parsed.success) {
    const rules = parsed.error.issues.map((issue) => issue.message).join("; ");
    throw new KnowledgeBaseError("invalid_input", `rerankers: the model of ${JSON.stringify(name)} ${rules}`);
  }
  let opening: Promise<Reranker> | null = null;
  const open = () => {
    opening ??= provider
      .create(parsed.data, context)
      .then(batchingReranker)
      .catch((error: unknown) => {
        opening = null;
        throw error;
      });
    return opening;
  };
  return {
    model: `${vendor}:${parsed.data.model}`,
    async rerank(query, passages, options) {
      options.signal?.throwIfAborted();
      const reranker = await open();
      return reranker.rerank(query, passages, options);
    },
    async close() {
      const opened = await opening?.catch(() => null);
      await opened?.close?.();
    },
  };
}
