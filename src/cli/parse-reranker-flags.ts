import type { KnowledgeBaseOptions } from "../index.js";
import type { FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Where each vendor's key stands, and the names by which `--reranker` may call the vendor. */
const VENDORS = [
  { vendor: "cohere", names: ["cohere", "vendor_a"], variable: "COHERE_API_KEY" },
  { vendor: "zeroentropy", names: ["zeroentropy", "vendor_b"], variable: "ZEROENTROPY_API_KEY" },
] as const;

/**
 * The reranker that was asked for, and the keys of the environment, whose models requests may name.
 * @throws UsageError for a hosted one without its key
 */
export function rerankingOf(
  { reranker }: FlagValues,
  { env }: Pick<Terminal, "env">,
): Pick<KnowledgeBaseOptions, "rerankers" | "managed"> {
  const asked = reranker?.split(":", 1)[0];
  const missing = VENDORS.find(({ names, variable }) => names.some((name) => name === asked) && !env[variable]);
  if (missing) throw new UsageError(`--reranker ${reranker} needs a key in the environment, as ${missing.variable}`);
  const accounts = VENDORS.flatMap(({ vendor, variable }) =>
    env[variable] ? [[vendor, { apiKey: env[variable] }]] : [],
  );
  return { rerankers: reranker === undefined ? [] : [reranker], managed: Object.fromEntries(accounts) };
}
