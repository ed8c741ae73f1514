import { DEFAULT_ORGANIZATION } from "../domain/default-organization.js";
import type { OrganizationUsage, QuotaInput } from "../index.js";
import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { type FlagName, type FlagValues, STORAGE_FLAGS } from "./flags.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

const LIMIT_FLAGS = {
  documents: "max-documents",
  bytes: "max-bytes",
  tokens: "max-tokens",
} as const satisfies Record<keyof QuotaInput, FlagName>;

export const quotaCommand: Command = {
  name: "quota",
  summary: "show what an organization stores, and set its limits",
  flags: [...STORAGE_FLAGS, "organization", ...Object.values(LIMIT_FLAGS)],
  run: (invocation) => {
    const { flags } = invocation;
    const quota = parseQuota(flags);
    return withExistingKnowledgeBase(invocation, async (kb) => {
      const { organization: id = DEFAULT_ORGANIZATION } = flags;
      if (Object.keys(quota).length > 0) await kb.organizations.update(id, { quota });
      const usage = await kb.organizations.usage(id);
      return { json: { organizationId: id, ...usage }, text: formatUsage(usage) };
    });
  },
};

/** Returns the given limits; `null` for `none`. */
function parseQuota(flags: FlagValues): QuotaInput {
  const quota: Record<string, number | null> = {};
  for (const [resource, flag] of Object.entries(LIMIT_FLAGS)) {
    const value = flags[flag];
    if (value !== undefined) quota[resource] = value === "none" ? null : parseLimit(flag, value);
  }
  return quota;
}

function parseLimit(flag: FlagName, value: string): number {
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw new UsageError(`--${flag} must be a whole number or none, not "${value}"`);
}

function formatUsage({ documents, bytes, tokens }: OrganizationUsage): string {
  const rows = Object.entries({ documents, bytes, tokens }).map(([resource, { used, limit }]) => {
    return [resource, `${used}`, `${limit ?? "none"}`];
  });
  return formatColumns([["", "used", "limit"], ...rows], "right");
}
