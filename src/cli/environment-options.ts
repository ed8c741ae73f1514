import { messageOf } from "../errors.js";
import { type KnowledgeBaseOptions, openAICompatible } from "../index.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** What whoever runs the command sets for all commands: keys have no place on a command line, which every process can read. */
export function environmentOptions({
  env,
}: Terminal): Pick<KnowledgeBaseOptions, "masterKey" | "network" | "languageModel"> {
  const masterKey = listOf(env.LOREBASE_MASTER_KEY);
  const allowPrivateHosts = listOf(env.LOREBASE_ALLOW_PRIVATE_HOSTS);
  return {
    ...(masterKey.length > 0 && { masterKey }),
    ...(allowPrivateHosts.length > 0 && { network: { allowPrivateHosts } }),
    ...((env.LOREBASE_LLM_URL || env.LOREBASE_LLM_MODEL) && { languageModel: languageModel(env) }),
  };
}

/** @throws UsageError that names the variable that is missing or wrong */
function languageModel({
  LOREBASE_LLM_URL: baseUrl,
  LOREBASE_LLM_MODEL: model,
  LOREBASE_LLM_API_KEY: apiKey,
}: Terminal["env"]) {
  if (!baseUrl) throw new UsageError("LOREBASE_LLM_MODEL is set, so LOREBASE_LLM_URL must say where the model is.");
  if (!model) throw new UsageError("LOREBASE_LLM_URL is set, so LOREBASE_LLM_MODEL must name the model.");
  try {
    return openAICompatible({ baseUrl, model, ...(apiKey && { apiKey }) });
  } catch (error) {
    throw new UsageError(`LOREBASE_LLM_URL, LOREBASE_LLM_MODEL, LOREBASE_LLM_API_KEY: ${messageOf(error)}`);
  }
}

function listOf(text = ""): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
