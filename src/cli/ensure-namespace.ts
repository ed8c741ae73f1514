import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase } from "../index.js";
import type { EmbeddingConfig, Namespace } from "../types.js";

/**
 * The namespace that a command puts documents into, made where it is not there.
 * @throws KnowledgeBaseError `conflict` where it has another embedder than the one that was asked for
 */
export async function namespaceFor(
  kb: KnowledgeBase,
  ref: string,
  embedding: EmbeddingConfig | undefined,
): Promise<Namespace> {
  const existing = await kb.namespaces.get(ref).catch((error: unknown) => {
    if (KnowledgeBaseError.is(error, "not_found")) return null;
    throw error;
  });
  if (existing === null)
    return kb.namespaces.create({ name: ref, slug: ref, ...(embedding && { embeddingConfig: embedding }) });
  const { provider } = existing.embeddingConfig;
  if (embedding !== undefined && embedding.provider !== provider) {
    const message = `namespace ${ref} already uses ${provider}: an embedder is chosen once, when the namespace is made`;
    throw new KnowledgeBaseError("conflict", message);
  }
  return existing;
}
