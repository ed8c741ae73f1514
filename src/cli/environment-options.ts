import type { KnowledgeBaseOptions } from "../index.js";
import type { Terminal } from "./terminal.js";

/** What whoever runs the command sets for all commands: keys have no place on a command line, which every process can read. */
export function environmentOptions({ env }: Terminal): Pick<KnowledgeBaseOptions, "masterKey" | "network"> {
  const masterKey = listOf(env.LOREBASE_MASTER_KEY);
  const allowPrivateHosts = listOf(env.LOREBASE_ALLOW_PRIVATE_HOSTS);
  return {
    ...(masterKey.length > 0 && { masterKey }),
    ...(allowPrivateHosts.length > 0 && { network: { allowPrivateHosts } }),
  };
}

function listOf(text = ""): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
