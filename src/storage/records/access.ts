import type { Namespace } from "../../types.js";

/**
 * Who asks, and for which part of what they own. Every question about jobs, documents, uploads and hosting starts from
 * one of these, and one is only had by resolving a namespace of the caller's own organization.
 */
export interface Access {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** A tenant's records only; null for the owner of the namespace, who reaches every tenant's. */
  readonly tenantId: string | null;
  readonly namespace: Namespace;
}

/** Whose records an operation is about. */
export function ownerOf({ namespaceId, tenantId }: Access): Pick<Access, "namespaceId" | "tenantId"> {
  return { namespaceId, tenantId };
}
