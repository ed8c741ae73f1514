import type { Namespace } from "../../types.js";

/**
 * The caller and the part of its data that a request is about. Queries for jobs, documents, uploads and hosting take
 * one, and only resolving a namespace of the caller's own organization gives one.
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
