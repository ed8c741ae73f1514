import { type Access, accessNamespace } from "../storage/records/access.js";
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
    return { engine, access: await accessNamespace(engine.database, { organizationId, tenantId }, ref) };
  };
}

const REMEMBERED = 1000;
const remembered = new WeakMap<Engine, Map<string, Access["namespace"]>>();

/**
 * Reads from a namespace. What its name meant last is taken for what it means while that is being asked, so that the question takes no
 * time of its own; where the answer is another one, or the namespace was changed or deleted meanwhile, the work is done again.
 *
 * @param read Changes nothing
 */
export async function withCachedNamespace<Result>(
  { open, organizationId }: Owner,
  tenantId: string | null,
  ref: string,
  read: (engine: Engine, access: Access) => Promise<Result>,
): Promise<Result> {
  const engine = await open();
  const namespaces = remembered.get(engine) ?? new Map<string, Access["namespace"]>();
  remembered.set(engine, namespaces);
  const key = `${organizationId} ${ref}`;
  const known = namespaces.get(key);
  const asked = accessNamespace(engine.database, { organizationId, tenantId }, ref);
  const begun = known && read(engine, { organizationId, tenantId, namespaceId: known.id, namespace: known });
  // A failure counts only where it was the right namespace's.
  begun?.catch(() => {});
  const access = await asked;
  if (begun && JSON.stringify(access.namespace) === JSON.stringify(known)) return begun;
  if (namespaces.size >= REMEMBERED) namespaces.clear();
  namespaces.set(key, access.namespace);
  return read(engine, access);
}
