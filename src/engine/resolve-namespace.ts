import type { Access } from "../storage/records/access.js";
import { LruCache } from "../util/lru-cache.js";
import type { Engine, OpenEngine } from "./engine.js";

/** Resolves the namespace that a call names, anew for each call. */
export type NamespaceResolver = (ref: string) => Promise<{ engine: Engine; access: Access }>;

/** The organization whose namespaces are resolved. */
export interface Owner {
  readonly open: OpenEngine;
  readonly organizationId: string;
}

/** Resolves the owner's namespaces by id or slug, for one tenant or (null) for the owner. */
export function namespaceResolver({ open, organizationId }: Owner, tenantId: string | null): NamespaceResolver {
  return async (ref) => {
    const engine = await open();
    return { engine, access: await accessNamespace(engine, { organizationId, tenantId }, ref) };
  };
}

const MAX_CACHED_NAMESPACES = 1000;
const caches = new WeakMap<Engine, LruCache<string, Access["namespace"]>>();

/**
 * Reads from a namespace. Starts on the cached record while that is looked up again, which saves the time of the lookup, and reads again if
 * the record has changed.
 *
 * @param read Changes nothing: its result may be dropped
 */
export async function withCachedNamespace<Result>(
  { open, organizationId }: Owner,
  tenantId: string | null,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const engine = await open();
  const namespaces = caches.get(engine) ?? new LruCache({ maxEntries: MAX_CACHED_NAMESPACES });
  caches.set(engine, namespaces);
  const key = `${organizationId} ${ref}`;
  const known = namespaces.get(key);
  const asked = accessNamespace(engine, { organizationId, tenantId }, ref);
  const begun = known && read(engine, { organizationId, tenantId, namespaceId: known.id, namespace: known });
  // A failure counts only where it was the right namespace's.
  begun?.catch(() => {});
  const access = await asked;
  if (begun && JSON.stringify(access.namespace) === JSON.stringify(known)) return begun;
  namespaces.set(key, access.namespace);
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
