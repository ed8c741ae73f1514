import type { Namespace } from "../../types.js";

/**
 * What a request may access. Queries for jobs, documents, uploads, feedback and hosting require an `Access`, which a
 * caller gets only by resolving a namespace of its own organization.
 */
export interface Access {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** Restricts the request to one tenant; `null` for the owner of the namespace, who sees every tenant. */
  readonly tenantId: string | null;
  /** Restricts the request to documents that one of these may see; `null` for the owner, who sees all documents. */
  readonly principals: readonly string[] | null;
  readonly namespace: Namespace;
}

/** Who makes a request. */
export type Requester = Pick<Access, "organizationId" | "tenantId" | "principals">;

/** Returns the owner of the records that a request may access. */
export function ownerOf({ namespaceId, tenantId }: Access): Pick<Access, "namespaceId" | "tenantId"> {
  return { namespaceId, tenantId };
}

/** Returns the owner of the documents that a request may access, and the principals that must be able to see them. */
export function readerOf({ namespaceId, tenantId, principals }: Access) {
  return { namespaceId, tenantId, principals };
}
