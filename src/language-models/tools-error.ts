import { KnowledgeBaseError } from "../errors.js";
import type { ModelTool } from "../interfaces/language-model.js";

/** How servers refuse a request with tools: Ollama and vLLM with 400, routers with 404, others with 422 or 501. */
const REFUSAL_STATUSES = new Set([400, 404, 422, 501]);

/** Adds to a refused request with tools that these may be the cause. Returns any other error unchanged. */
export function explainToolsError(error: unknown, tools: readonly ModelTool[]): unknown {
  if (tools.length === 0 || !KnowledgeBaseError.is(error) || error.httpStatus === null) return error;
  if (!REFUSAL_STATUSES.has(error.httpStatus)) return error;
  const { code, retryable, httpStatus, cause } = error;
  const message = `${error.message} (The request has tools, which this model or its server may not support.)`;
  return new KnowledgeBaseError(code, message, { retryable, httpStatus, cause });
}
