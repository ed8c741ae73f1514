import type { ApiKey, KnowledgeBase } from "../index.js";
import { API_KEY_SCOPES } from "../validation/schemas.js";
import type { Command, Invocation, Outcome } from "./command.js";
import { choiceOf, directoryOf, existingDirectoryOf } from "./flag-values.js";
import { createProgress } from "./progress.js";
import { UsageError } from "./usage-error.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** `lorebase keys create`: a new API key. */
export const keysCreateCommand: Command = {
  name: "keys create",
  summary: "make an API key, which is shown once",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory", "name", "scope", "organization"],
  async run(invocation) {
    const { flags, terminal } = invocation;
    const { name } = flags;
    if (name === undefined) throw new UsageError("keys create needs --name NAME");
    const scope = choiceOf("scope", flags.scope, API_KEY_SCOPES) ?? "read";
    return withKeys(invocation, directoryOf(flags, terminal), async (keys) => {
      const created = await keys.create({ name, scope });
      // Standard output is the key alone, as in KEY=$(lorebase keys create …).
      terminal.err(`${created.id}, of scope ${scope}. It is shown this once: keep it.\n`);
      return { json: created, text: created.key };
    });
  },
};

/** `lorebase keys list`: every key, without its secret. */
export const keysListCommand: Command = {
  name: "keys list",
  summary: "show the API keys",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory", "organization"],
  async run(invocation) {
    const directory = existingDirectoryOf(invocation.flags, invocation.terminal);
    return withKeys(invocation, directory, async (keys) => {
      const items: ApiKey[] = [];
      for await (const key of keys.iterate({ order: "asc" })) items.push(key);
      return { json: { keys: items }, text: items.length === 0 ? "no keys" : items.map(line).join("\n") };
    });
  },
};

/** `lorebase keys revoke`: a key that opens nothing from here on. */
export const keysRevokeCommand: Command = {
  name: "keys revoke",
  summary: "end an API key",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "organization"],
  async run(invocation) {
    const directory = existingDirectoryOf(invocation.flags, invocation.terminal);
    return withKeys(invocation, directory, async (keys) => {
      const revoked = await keys.delete(invocation.operands[0]!);
      return { json: revoked, text: `revoked ${revoked.id} (${revoked.name})` };
    });
  },
};

/** Works on an organization's keys, beside a server that may have the same directory open. */
function withKeys(
  { flags, terminal }: Invocation,
  directory: string,
  work: (keys: KnowledgeBase["apiKeys"]) => Promise<Outcome>,
): Promise<Outcome> {
  // Without a worker: what is queued is the server's to do.
  const options = { directory, worker: false } as const;
  return withKnowledgeBase(options, terminal, createProgress(terminal), async (kb) => {
    if (flags.organization === undefined) return work(kb.apiKeys);
    const { id } = await kb.organizations.get(flags.organization);
    return work(kb.organization(id).apiKeys);
  });
}

function line({ id, scope, lastFour, createdAt, lastUsedAt, name }: ApiKey): string {
  const used = lastUsedAt === null ? "never used" : `used ${lastUsedAt.slice(0, 16)}Z`;
  return `${id}  ${scope.padEnd(5)}  …${lastFour}  made ${createdAt.slice(0, 10)}  ${used.padEnd(22)}  ${name}`;
}
