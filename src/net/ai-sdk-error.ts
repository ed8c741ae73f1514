import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import { redactor } from "./redactor.js";
import { vendorError } from "./vendor-error.js";
import { reasonIn, vendorReason } from "./vendor-reason.js";

export interface AiSdkCall {
  readonly code: "provider_failed" | "store_failed";
  /** As in `Cohere`. */
  readonly vendor: string;
  /** Taken out of what the vendor says. */
  readonly apiKey?: string | undefined;
}

/** Names of errors of an answer that came and cannot be read; what else the AI SDK refuses itself, another attempt doesn't change. */
const UNREADABLE = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_TypeValidationError",
]);

/**
 * An error of an AI SDK package in our words, by its structure, whatever version of the package threw it. The error itself is not kept:
 * it holds the whole request. An abort, and an error of ours from within (a refused address), stay what they are.
 */
export function aiSdkError(error: unknown, { code, vendor, apiKey }: AiSdkCall): unknown {
  if (isAbortError(error)) return error;
  const ours = causesOf(error).find((cause) => KnowledgeBaseError.is(cause));
  if (ours) return ours;
  const { name, statusCode, responseHeaders, responseBody } = partsOf(error);
  const answered = typeof statusCode === "number" && (statusCode < 200 || statusCode > 299);
  if (!answered && name?.startsWith("AI_") && name !== "AI_APICallError" && !UNREADABLE.has(name)) {
    return new KnowledgeBaseError(code, `${vendor} refused: ${redactor(apiKey ? [apiKey] : [])(messageOf(error))}`);
  }
  // Within streams, services' own error objects travel as they are.
  const told = answered ? vendorReason(String(responseBody ?? "")) : error instanceof Error ? null : reasonIn(error);
  const reason = told ?? whole(error);
  return vendorError({
    code,
    vendor,
    status: answered ? statusCode : null,
    message: reason,
    apiKey,
    headers: isRecord(responseHeaders) ? (responseHeaders as Record<string, string>) : {},
  });
}

/** The message, and below it what the connection said: "Failed to process successful response: other side closed". */
function whole(error: unknown): string {
  const [first, ...causes] = causesOf(error).map(messageOf);
  const last = causes.at(-1);
  // What the JSON parser says holds the body.
  const network = causesOf(error).some((cause) => cause instanceof Error && "code" in cause);
  return network && last && !first!.includes(last) ? `${first}: ${last}` : first || "no reason given";
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && !causes.includes(at); at = partsOf(at).cause) causes.push(at);
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
