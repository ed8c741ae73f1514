import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import { redactor } from "./redactor.js";
import { vendorError } from "./vendor-error.js";
import { reasonIn, vendorReason } from "./vendor-reason.js";

export interface AiSdkCall {
  readonly code: "provider_failed" | "store_failed";
  /** The vendor's name, such as `Cohere`. */
  readonly vendor: string;
  /** Redacted from error messages. */
  readonly apiKey?: string | undefined;
}

/** Errors about a malformed response, which a retry may fix. All other errors of the AI SDK itself are permanent. */
const MALFORMED_RESPONSE_ERRORS = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_TypeValidationError",
]);

/**
 * Converts an error of an AI SDK package, recognized by its structure so that any version of the SDK works. The error
 * is not kept as the cause, because it holds the whole request. Aborts and nested KnowledgeBaseErrors (such as for a
 * URL that is not allowed) are returned unchanged.
 */
export function aiSdkError(error: unknown, { code, vendor, apiKey }: AiSdkCall): unknown {
  if (isAbortError(error)) return error;
  const nested = errorChain(error).find((cause) => KnowledgeBaseError.is(cause));
  if (nested) return nested;
  const { name, statusCode, responseHeaders, responseBody } = partsOf(error);
  const hasStatus = typeof statusCode === "number" && (statusCode < 200 || statusCode > 299);
  if (!hasStatus && name?.startsWith("AI_") && name !== "AI_APICallError" && !MALFORMED_RESPONSE_ERRORS.has(name)) {
    const reason = redactor(apiKey ? [apiKey] : [])(getErrorMessage(error));
    return new KnowledgeBaseError(code, `${vendor} rejected the call: ${reason}`);
  }
  // In streams, a service's error object is passed through unchanged.
  const vendorMessage = hasStatus
    ? vendorReason(String(responseBody ?? ""))
    : error instanceof Error
      ? null
      : reasonIn(error);
  const reason = vendorMessage ?? describeError(error);
  return vendorError({
    code,
    vendor,
    status: hasStatus ? statusCode : null,
    message: reason,
    apiKey,
    headers: isRecord(responseHeaders) ? (responseHeaders as Record<string, string>) : {},
  });
}

/** Returns an error's message with the network cause: "Failed to process successful response: other side closed". */
function describeError(error: unknown): string {
  const [first, ...causes] = errorChain(error).map(getErrorMessage);
  const last = causes.at(-1);
  // Only network errors are appended: a JSON parser's message quotes the body.
  const isNetworkError = errorChain(error).some((cause) => cause instanceof Error && "code" in cause);
  return isNetworkError && last && !first!.includes(last) ? `${first}: ${last}` : first || "no reason given";
}

function errorChain(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause != null && !causes.includes(cause); cause = partsOf(cause).cause) causes.push(cause);
  return causes;
}

interface ErrorParts {
  readonly name?: string;
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly cause?: unknown;
}

function partsOf(error: unknown): ErrorParts {
  return isRecord(error) ? (error as ErrorParts) : {};
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
