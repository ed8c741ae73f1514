import type { Access } from "../storage/records/access.js";
import { LruCache } from "../util/lru-cache.js";
import type { Engine, EngineOpener } from "./engine.js";

/** Resolves a namespace by id or slug. Rejects if the signal is aborted. */
export type NamespaceResolver = (ref: string, signal?: AbortSignal) => Promise<{ engine: Engine; access: Access }>;

/** An organization that owns namespaces, and the function that opens its engine. */
export interface NamespaceOwner {
  readonly open: EngineOpener;
  readonly organizationId: string;
}

/** Returns a resolver of the owner's namespaces for a tenant, or for the owner itself if `tenantId` is `null`. */
export function namespaceResolver(
  { open, organizationId }: NamespaceOwner,
  tenantId: string | null,
): NamespaceResolver {
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
 * Reads from a namespace with its cached record while the current record is read, and reads again if they differ.
 *
 * @param read Must not change anything, because it may run twice.
 */
export async function withCachedNamespace<Result>(
  { open, organizationId }: NamespaceOwner,
  tenantId: string | null,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const engine = await open();
  const cache = caches.get(engine) ?? new LruCache({ maxEntries: CACHE_SIZE });
  caches.set(engine, cache);
  const key = `${organizationId} ${ref}`;
  const cached = cache.get(key);
  const accessing = accessNamespace(engine, { organizationId, tenantId }, ref);
  const readingCached = cached && read(engine, { organizationId, tenantId, namespaceId: cached.id, namespace: cached });
  // Not awaited if the cached record is out of date, so a rejection must not count as unhandled.
  readingCached?.catch(() => {});
  const access = await accessing;
  if (readingCached && JSON.stringify(access.namespace) === JSON.stringify(cached)) return readingCached;
  cache.set(key, access.namespace);
  return read(engine, access);
}

/**
 * Finds the namespace by id or slug.
 * @throws KnowledgeBaseError `not_found` if the namespace doesn't exist or belongs to another organization
 */
async function accessNamespace(
  { storage }: Engine,
  { organizationId, tenantId }: Pick<Access, "organizationId" | "tenantId">,
  ref: string,
): Promise<Access> {
  const namespace = await storage.namespaces.resolve({ organizationId, ref });
  return { organizationId, tenantId, namespaceId: namespace.id, namespace };
}
