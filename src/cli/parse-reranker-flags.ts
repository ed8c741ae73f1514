import type { KnowledgeBaseOptions } from "../index.js";
import type { FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** The names of each vendor in `--reranker`, and the environment variable of its key. */
const VENDORS = [
  { vendor: "cohere", names: ["cohere", "vendor_a"], variable: "COHERE_API_KEY" },
  { vendor: "zeroentropy", names: ["zeroentropy", "vendor_b"], variable: "ZEROENTROPY_API_KEY" },
] as const;

/**
 * Returns the reranker of `--reranker` and the vendors' keys in the environment, which let requests name other models.
 * @throws UsageError for a hosted reranker without its key
 */
export function parseRerankerFlags(
  { reranker }: FlagValues,
  { env }: Pick<Terminal, "env">,
): Pick<KnowledgeBaseOptions, "rerankers" | "managed"> {
  const requested = reranker?.split(":", 1)[0];
  const missing = VENDORS.find(({ names, variable }) => names.some((name) => name === requested) && !env[variable]);
  if (missing) throw new UsageError(`--reranker ${reranker} needs the environment variable ${missing.variable}`);
  const accounts = VENDORS.flatMap(({ vendor, variable }) =>
    env[variable] ? [[vendor, { apiKey: env[variable] }]] : [],
  );
  return { rerankers: reranker === undefined ? [] : [reranker], managed: Object.fromEntries(accounts) };
}
