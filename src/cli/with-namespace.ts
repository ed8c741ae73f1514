import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, NamespaceHandle } from "../index.js";
import type { EmbeddingConfig, Namespace } from "../types.js";
import type { Invocation } from "./command.js";
import { resolveDirectory } from "./flag-values.js";
import type { FlagValues } from "./flags.js";
import type { Progress } from "./progress.js";
import { withExistingKnowledgeBase, withKnowledgeBase } from "./with-knowledge-base.js";

/** The namespace that a command works on. */
export interface Target {
  readonly kb: KnowledgeBase;
  readonly namespace: Namespace;
  /** The namespace, or its tenant that `--tenant` names. */
  readonly handle: NamespaceHandle;
  readonly progress: Progress;
}

/** Opens the knowledge base and the namespace that documents are added to. Creates either if it doesn't exist. */
export function withTargetNamespace<T>(
  { flags, terminal }: Invocation,
  embedding: EmbeddingConfig | undefined,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  return withKnowledgeBase({ directory: resolveDirectory(flags, terminal) }, terminal, async (kb, progress) => {
    const namespace = await ensureNamespace(kb, namespaceRef(flags), embedding);
    return work({ kb, namespace, handle: namespaceHandle(kb, namespace.id, flags.tenant), progress });
  });
}

/** Opens the existing namespace that the options name. */
export function withNamespace<T>(
  invocation: Invocation,
  work: (handle: NamespaceHandle, slug: string) => Promise<T>,
): Promise<T> {
  return withExistingKnowledgeBase(invocation, async (kb) => {
    const { id, slug } = await kb.namespaces.get(namespaceRef(invocation.flags));
    return work(namespaceHandle(kb, id, invocation.flags.tenant), slug);
  });
}

/** The id or slug that `--namespace` names. */
export function namespaceRef({ namespace = "default" }: FlagValues): string {
  return namespace;
}

export function namespaceHandle(kb: KnowledgeBase, ref: string, tenant: string | undefined): NamespaceHandle {
  const namespace = kb.namespace(ref);
  return tenant === undefined ? namespace : namespace.tenant(tenant);
}

/** @throws KnowledgeBaseError `conflict` if the namespace exists with another embedder */
async function ensureNamespace(
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
    const message = `namespace ${ref} already uses ${provider}: the embedder of a namespace cannot be changed`;
    throw new KnowledgeBaseError("conflict", message);
  }
  return existing;
}
