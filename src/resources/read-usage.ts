import type { Engine } from "../engine/engine.js";
import { notFound } from "../storage/records/not-found.js";

/** What an organization uses of one resource. `limit` is `null` without a limit. */
export interface ResourceUsage {
  readonly used: number;
  readonly limit: number | null;
}

/** What an organization stores, and what it may store. */
export interface OrganizationUsage {
  readonly documents: ResourceUsage;
  /** Bytes of the documents' sources. */
  readonly bytes: ResourceUsage;
  /** Tokens of the documents' passages. */
  readonly tokens: ResourceUsage;
}

/** @throws KnowledgeBaseError `not_found` if there is no such organization */
export async function readUsage({ storage }: Engine, organizationId: string): Promise<OrganizationUsage> {
  const row = await storage.organizations.getUsage({ organizationId });
  if (!row) throw notFound("organization", organizationId);
  const { quota, usage } = row;
  return {
    documents: { used: usage.documents, limit: quota.documents },
    bytes: { used: usage.bytes, limit: quota.bytes },
    tokens: { used: usage.tokens, limit: quota.tokens },
  };
}
