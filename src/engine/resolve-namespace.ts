import type { Access, Requester } from "../storage/records/access.js";
import { isVectorSetGone } from "../storage/vector-sets.js";
import { LruCache } from "../util/lru-cache.js";
import type { Engine, EngineOpener } from "./engine.js";
import { narrowPrincipals } from "./principals.js";

/**
 * Resolves a namespace by id or slug. Rejects if the signal is aborted.
 *
 * @param principals Those for which the call is made. @default those of the resolver
 */
export type NamespaceResolver = (
  ref: string,
  signal?: AbortSignal,
  principals?: readonly string[],
) => Promise<{ engine: Engine; access: Access }>;

/** An organization that owns namespaces, and the function that opens its engine. */
export interface NamespaceOwner {
  readonly open: EngineOpener;
  readonly organizationId: string;
}

/** Returns a resolver of the owner's namespaces for whoever makes the request. */
export function namespaceResolver(
  { open, organizationId }: NamespaceOwner,
  requester: Omit<Requester, "organizationId">,
): NamespaceResolver {
  return async (ref, signal, named) => {
    const principals = narrowPrincipals(requester.principals, named);
    const engine = await open();
    const access = await accessNamespace(engine, { ...requester, organizationId, principals }, ref);
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
  owner: NamespaceOwner,
  requester: Omit<Requester, "organizationId">,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const readOnce = () => readWithCached(owner, requester, ref, read);
  return readOnce().catch((error: unknown) => {
    // The record was current when it was read.
    if (!isVectorSetGone(error)) throw error;
    return readOnce();
  });
}

async function readWithCached<Result>(
  { open, organizationId }: NamespaceOwner,
  { tenantId, principals }: Omit<Requester, "organizationId">,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const engine = await open();
  const cache = caches.get(engine) ?? new LruCache({ maxEntries: CACHE_SIZE });
  caches.set(engine, cache);
  const key = `${organizationId} ${ref}`;
  const cached = cache.get(key);
  const requester = { organizationId, tenantId, principals };
  const accessing = accessNamespace(engine, requester, ref);
  const readingCached = cached && read(engine, { ...requester, namespaceId: cached.id, namespace: cached });
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
  { organizationId, tenantId, principals }: Requester,
  ref: string,
): Promise<Access> {
  const namespace = await storage.namespaces.resolve({ organizationId, ref });
  return { organizationId, tenantId, principals, namespaceId: namespace.id, namespace };
}
