import { KnowledgeBaseError } from "../errors.js";
import type { ModelTool } from "../interfaces/language-model.js";

/** Statuses of rejected requests with tools: 400 from Ollama and vLLM, 404 from routers, 422 or 501 from others. */
const REJECTION_STATUSES = new Set([400, 404, 422, 501]);

/** Explains in a rejected request's error that its tools may be the cause. Returns any other error unchanged. */
export function explainToolsError(error: unknown, tools: readonly ModelTool[]): unknown {
  if (tools.length === 0 || !KnowledgeBaseError.is(error) || error.httpStatus === null) return error;
  if (!REJECTION_STATUSES.has(error.httpStatus)) return error;
  const { code, retryable, httpStatus, cause } = error;
  const message = `${error.message} (The request has tools, which this model or its server may not support.)`;
  return new KnowledgeBaseError(code, message, { retryable, httpStatus, cause });
}
