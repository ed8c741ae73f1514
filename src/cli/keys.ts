import type { ApiKey } from "../index.js";
import { collect } from "../util/collect.js";
import { API_KEY_SCOPES } from "../validation/organization-schema.js";
import { formatCount } from "./columns.js";
import type { Command, Outcome } from "./command.js";
import { findOrganization } from "./find-organization.js";
import { parseChoice } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { parseStorageFlags } from "./storage-flags.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase, withKnowledgeBase } from "./with-knowledge-base.js";

// These commands run no jobs, which are left to a server that may have the same directory open.
export const keyCommands: readonly Command[] = [
  {
    name: "keys create",
    summary: "create an API key, which is shown once",
    flags: [...STORAGE_FLAGS, "name", "scope", "principal", "organization"],
    async run({ flags, terminal }) {
      const { name } = flags;
      if (name === undefined) throw new UsageError("keys create needs --name NAME");
      const scope = parseChoice("scope", flags.scope, API_KEY_SCOPES) ?? "read";
      const principals = flags.principal && { principals: flags.principal };
      const options = { ...parseStorageFlags(flags, terminal), worker: false } as const;
      return withKnowledgeBase(options, terminal, async (kb): Promise<Outcome> => {
        const { apiKeys } = await findOrganization(kb, flags);
        const created = await apiKeys.create({ name, scope, ...principals });
        // Only the key goes to stdout, for KEY=$(lorebase keys create …).
        terminal.err(`${created.id}, scope ${scope}. The key is shown only once: store it now.\n`);
        return { json: created, text: created.key };
      });
    },
  },
  {
    name: "keys list",
    summary: "show the API keys",
    flags: [...STORAGE_FLAGS, "organization"],
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const { apiKeys } = await findOrganization(kb, invocation.flags);
        const keys = await collect(apiKeys.iterate({ order: "asc" }));
        return { json: { keys }, text: keys.length === 0 ? "no keys" : keys.map(toLine).join("\n") };
      }),
  },
  {
    name: "keys revoke",
    summary: "revoke an API key",
    usage: "<id>",
    operands: { min: 1, max: 1 },
    flags: [...STORAGE_FLAGS, "organization"],
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const { apiKeys } = await findOrganization(kb, invocation.flags);
        const revoked = await apiKeys.delete(invocation.operands[0]!);
        return { json: revoked, text: `revoked ${revoked.id} (${revoked.name})` };
      }),
  },
  {
    name: "keys rotate",
    summary: "encrypt all stored secrets with the first master key",
    flags: STORAGE_FLAGS,
    run: (invocation) =>
      withExistingKnowledgeBase(invocation, async (kb) => {
        const rotation = await kb.rotateKeys({ signal: invocation.terminal.signal });
        const { keyId, resealed, remaining } = rotation;
        const done = `re-encrypted ${formatCount(resealed, "secret")} with the master key ${keyId}`;
        if (remaining === 0) return { json: rotation, text: done };
        const rest = `secrets encrypted with other keys: ${remaining}. Add those keys to LOREBASE_MASTER_KEY, after the first`;
        return { json: rotation, text: `${done}; ${rest}`, exitCode: 1 } as const;
      }),
  },
];

function toLine({ id, scope, lastFour, createdAt, lastUsedAt, name }: ApiKey): string {
  const used = lastUsedAt === null ? "never used" : `used ${lastUsedAt.slice(0, 16)}Z`;
  return `${id}  ${scope.padEnd(5)}  …${lastFour}  created ${createdAt.slice(0, 10)}  ${used.padEnd(22)}  ${name}`;
}
