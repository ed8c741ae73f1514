import { KnowledgeBaseError } from "../errors.js";
import type { AiSdkLanguageModel } from "../interfaces/ai-sdk-language-model.js";
import type { LanguageModel } from "../interfaces/language-model.js";
import { aiSdkLanguageModel } from "./ai-sdk/language-model.js";

/** Adapts a language model of the AI SDK, recognized by its structure. Returns a model of Lorebase unchanged. */
export function toLanguageModel(value: unknown): LanguageModel {
  if (isLanguageModel(value)) return value;
  if (isAiSdkLanguageModel(value)) return aiSdkLanguageModel(value);
  throw new KnowledgeBaseError("invalid_input", "must be a language model of Lorebase or of the AI SDK");
}

function isLanguageModel(value: unknown): value is LanguageModel {
  const { provider, model, generate } = Object(value) as Partial<Record<string, unknown>>;
  return typeof provider === "string" && typeof model === "string" && typeof generate === "function";
}

function isAiSdkLanguageModel(value: unknown): value is AiSdkLanguageModel {
  const { provider, modelId, doStream } = Object(value) as Partial<Record<string, unknown>>;
  return typeof provider === "string" && typeof modelId === "string" && typeof doStream === "function";
}
