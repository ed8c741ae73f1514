import type { KnowledgeBase, OrganizationHandle } from "../index.js";
import type { FlagValues } from "./flags.js";

/**
 * Returns the organization given by `--organization`; without it, the knowledge base, which has the records of the
 * default organization.
 */
export async function findOrganization(
  kb: KnowledgeBase,
  { organization }: FlagValues,
): Promise<Pick<OrganizationHandle, "apiKeys" | "webhooks">> {
  if (organization === undefined) return kb;
  const { id } = await kb.organizations.get(organization);
  return kb.organization(id);
}
