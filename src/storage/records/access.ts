import type { Namespace } from "../../types.js";

/**
 * The caller and the part of its data that a request concerns. Queries for jobs, documents, uploads, feedback and
 * hosting take one, which the caller gets only by resolving a namespace of its organization.
 */
export interface Access {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** Restricts the request to one tenant; `null` for the owner of the namespace, who sees every tenant. */
  readonly tenantId: string | null;
  readonly namespace: Namespace;
}

/** The owner of the records that an operation reads or changes. */
export function ownerOf({ namespaceId, tenantId }: Access): Pick<Access, "namespaceId" | "tenantId"> {
  return { namespaceId, tenantId };
}
