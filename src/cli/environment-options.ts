import { getErrorMessage } from "../errors.js";
import { type KnowledgeBaseOptions, openAICompatible } from "../index.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Returns the options set by environment variables. Secrets have no flags: other processes can read a command line. */
export function environmentOptions({
  env,
}: Terminal): Pick<KnowledgeBaseOptions, "masterKey" | "network" | "languageModel"> {
  const masterKey = masterKeysOf({ env });
  const allowPrivateHosts = parseList(env.LOREBASE_ALLOW_PRIVATE_HOSTS);
  return {
    ...(masterKey.length > 0 && { masterKey }),
    ...(allowPrivateHosts.length > 0 && { network: { allowPrivateHosts } }),
    ...((env.LOREBASE_LLM_URL || env.LOREBASE_LLM_MODEL) && { languageModel: createLanguageModel(env) }),
  };
}

/** The master keys, as they are given. */
export function masterKeysOf({ env }: Pick<Terminal, "env">): readonly string[] {
  return parseList(env.LOREBASE_MASTER_KEY);
}

/** @throws UsageError if a variable is missing or invalid */
function createLanguageModel({
  LOREBASE_LLM_URL: baseUrl,
  LOREBASE_LLM_MODEL: model,
  LOREBASE_LLM_API_KEY: apiKey,
}: Terminal["env"]) {
  if (!baseUrl) throw new UsageError("LOREBASE_LLM_MODEL is set, so LOREBASE_LLM_URL must be the URL of its API.");
  if (!model) throw new UsageError("LOREBASE_LLM_URL is set, so LOREBASE_LLM_MODEL must name the model.");
  try {
    return openAICompatible({ baseUrl, model, ...(apiKey && { apiKey }) });
  } catch (error) {
    throw new UsageError(
      `LOREBASE_LLM_URL, LOREBASE_LLM_MODEL or LOREBASE_LLM_API_KEY is invalid: ${getErrorMessage(error)}`,
    );
  }
}

function parseList(text = ""): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
