import type { Access } from "../storage/records/access.js";
import { LruCache } from "../util/lru-cache.js";
import type { Engine, OpenEngine } from "./engine.js";

/** Resolves a namespace by id or slug. Rejects if the signal is aborted. */
export type NamespaceResolver = (ref: string, signal?: AbortSignal) => Promise<{ engine: Engine; access: Access }>;

/** The organization that owns the namespaces. */
export interface Owner {
  readonly open: OpenEngine;
  readonly organizationId: string;
}

/** Resolves the owner's namespaces for a tenant, or for the owner if `tenantId` is `null`. */
export function namespaceResolver({ open, organizationId }: Owner, tenantId: string | null): NamespaceResolver {
  return async (ref, signal) => {
    const engine = await open();
    const access = await accessNamespace(engine, { organizationId, tenantId }, ref);
    signal?.throwIfAborted();
    return { engine, access };
  };
}

const CACHE_SIZE = 1000;
const caches = new WeakMap<Engine, LruCache<string, Access["namespace"]>>();

/**
 * Reads from a namespace. Starts on the cached record while revalidating it, and repeats the read if it has changed.
 *
 * @param read Must not change anything: its result may be dropped
 */
export async function withCachedNamespace<Result>(
  { open, organizationId }: Owner,
  tenantId: string | null,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const engine = await open();
  const cache = caches.get(engine) ?? new LruCache({ maxEntries: CACHE_SIZE });
  caches.set(engine, cache);
  const key = `${organizationId} ${ref}`;
  const cached = cache.get(key);
  const current = accessNamespace(engine, { organizationId, tenantId }, ref);
  const optimistic = cached && read(engine, { organizationId, tenantId, namespaceId: cached.id, namespace: cached });
  // A failure matters only if the cached record is current.
  optimistic?.catch(() => {});
  const access = await current;
  if (optimistic && JSON.stringify(access.namespace) === JSON.stringify(cached)) return optimistic;
  cache.set(key, access.namespace);
  return read(engine, access);
}

/** @throws KnowledgeBaseError `not_found`, the same for a foreign namespace as for none */
async function accessNamespace(
  { storage }: Engine,
  { organizationId, tenantId }: Pick<Access, "organizationId" | "tenantId">,
  ref: string,
): Promise<Access> {
  const namespace = await storage.namespaces.resolve({ organizationId, ref });
  return { organizationId, tenantId, namespaceId: namespace.id, namespace };
}
