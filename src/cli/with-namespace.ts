import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, NamespaceHandle } from "../index.js";
import type { EmbeddingConfig, Namespace } from "../types.js";
import type { Invocation } from "./command.js";
import type { FlagValues } from "./flags.js";
import { namingOthers } from "./missing-namespace.js";
import type { Progress } from "./progress.js";
import { parseStorageFlags } from "./storage-flags.js";
import { withExistingKnowledgeBase, withKnowledgeBase } from "./with-knowledge-base.js";

/** The namespace that a command works on. */
export interface Target {
  readonly kb: KnowledgeBase;
  readonly namespace: Namespace;
  /** Restricted to the tenant given by `--tenant`, if any. */
  readonly handle: NamespaceHandle;
  readonly progress: Progress;
}

/** Opens the knowledge base and the namespace to add documents to. Creates either if it doesn't exist. */
export function withTargetNamespace<T>(
  { flags, terminal }: Invocation,
  embeddingConfig: EmbeddingConfig | undefined,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  return withKnowledgeBase(parseStorageFlags(flags, terminal), terminal, async (kb, progress) => {
    const namespace = await ensureNamespace(kb, parseNamespaceFlag(flags), embeddingConfig);
    return work({ kb, namespace, handle: getNamespaceHandle(kb, namespace.id, flags.tenant), progress });
  });
}

/** Opens the existing namespace given by `--namespace`. */
export function withNamespace<T>(
  invocation: Invocation,
  work: (handle: NamespaceHandle, slug: string) => Promise<T>,
): Promise<T> {
  return withExistingKnowledgeBase(invocation, async (kb) => {
    const ref = parseNamespaceFlag(invocation.flags);
    const { id, slug } = await namingOthers(kb, ref, () => kb.namespaces.get(ref));
    const { tenant, principal } = invocation.flags;
    const handle = getNamespaceHandle(kb, id, tenant);
    return work(principal ? handle.visibleTo(principal) : handle, slug);
  });
}

/** Returns the id or slug given by `--namespace`, by default `default`. */
export function parseNamespaceFlag({ namespace = "default" }: FlagValues): string {
  return namespace;
}

export function getNamespaceHandle(kb: KnowledgeBase, ref: string, tenant: string | undefined): NamespaceHandle {
  const namespace = kb.namespace(ref);
  return tenant === undefined ? namespace : namespace.tenant(tenant);
}

/**
 * Returns the namespace. Creates it if it doesn't exist.
 * @throws KnowledgeBaseError `conflict` if the namespace exists with another embedder
 */
async function ensureNamespace(
  kb: KnowledgeBase,
  ref: string,
  embeddingConfig: EmbeddingConfig | undefined,
): Promise<Namespace> {
  const existing = await kb.namespaces.get(ref).catch((error: unknown) => {
    if (KnowledgeBaseError.is(error, "not_found")) return null;
    throw error;
  });
  if (existing === null)
    return kb.namespaces.create({ name: ref, slug: ref, ...(embeddingConfig && { embeddingConfig }) });
  const { provider } = existing.embeddingConfig;
  if (embeddingConfig !== undefined && embeddingConfig.provider !== provider) {
    const message = `namespace ${ref} already uses ${provider}: the embedder of a namespace cannot be changed`;
    throw new KnowledgeBaseError("conflict", message);
  }
  return existing;
}
