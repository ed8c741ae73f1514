import type { KnowledgeBaseOptions } from "../index.js";
import type { FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** The hosted rerankers: their names in `--reranker` and the environment variables of their API keys. */
const VENDORS = [
  { vendor: "cohere", names: ["cohere", "vendor_a"], variable: "COHERE_API_KEY" },
  { vendor: "zeroentropy", names: ["zeroentropy", "vendor_b"], variable: "ZEROENTROPY_API_KEY" },
] as const;

/**
 * Returns the reranker given by `--reranker`, and an account for each API key in the environment. With an account,
 * requests can choose other models of the vendor.
 * @throws UsageError for a hosted reranker whose API key is missing
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
