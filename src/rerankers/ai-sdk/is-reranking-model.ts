import type { AiSdkRerankingModel } from "../../interfaces/ai-sdk-reranking-model.js";

/** Returns whether a value has the structure of a reranking model of the AI SDK. */
export function isAiSdkRerankingModel(value: unknown): value is AiSdkRerankingModel {
  if (typeof value !== "object" || value === null) return false;
  const { specificationVersion, provider, modelId, doRerank } = value as Partial<Record<string, unknown>>;
  return (
    typeof specificationVersion === "string" &&
    typeof provider === "string" &&
    typeof modelId === "string" &&
    typeof doRerank === "function"
  );
}
