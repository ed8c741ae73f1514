import type { AiSdkLanguageModel } from "../interfaces/ai-sdk-language-model.js";
import type { LanguageModel } from "../interfaces/language-model.js";
import { aiSdkLanguageModel } from "./ai-sdk-language-model.js";

/** Whether a value is a language model, ours or the AI SDK's, told by its structure. */
export function isLanguageModel(value: unknown): value is LanguageModel | AiSdkLanguageModel {
  if (typeof value !== "object" || value === null) return false;
  const { provider, model, generate, modelId, doStream } = value as Partial<Record<string, unknown>>;
  if (typeof provider !== "string") return false;
  return typeof generate === "function"
    ? typeof model === "string"
    : typeof doStream === "function" && typeof modelId === "string";
}

/** A language model of either kind as one of ours. */
export function toLanguageModel(model: LanguageModel | AiSdkLanguageModel): LanguageModel {
  return "generate" in model ? model : aiSdkLanguageModel(model);
}
