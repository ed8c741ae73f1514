import { KnowledgeBaseError } from "../errors.js";
import { bareError } from "./bare-error.js";
import { redactor } from "./redactor.js";
import { retryAfterMs } from "./retry-after.js";

/** An error response of a service, or a failed connection. */
export interface VendorFailure {
  /** Whether a model or a vector store was called. */
  readonly code: "provider_failed" | "store_failed";
  /** As in `OpenAI`. */
  readonly vendor: string;
  /** HTTP status; `null` without a readable response. */
  readonly status: number | null;
  /** The complete message of the vendor or the connection, which is truncated here. */
  readonly message: string;
  /** Response headers by lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The vendor package's error, kept as {@link bareError} does. A KnowledgeBaseError within decides `retryable`. */
  readonly cause?: unknown;
  /** The API key of the call, removed from the message. @default none */
  readonly apiKey?: string | undefined;
}

/** A message is redacted before it is truncated: a truncated secret might not be recognized. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_REDACTED_LENGTH = 16_384;

/** Transient statuses (RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425). */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);

/** Converts a vendor's failure: status, message, whether a retry may help, and how long to wait. */
export function vendorError(failure: VendorFailure): KnowledgeBaseError {
  const { code, vendor, status, message, headers = {}, cause, apiKey } = failure;
  const redact = redactor(apiKey ? [apiKey] : []);
  const retryable = status === null ? isTransient(cause) : TRANSIENT_STATUSES.has(status) || status >= 500;
  const outcome = status === null ? "failed" : `answered ${status}`;
  const shown = redact(message.slice(0, MAX_REDACTED_LENGTH)).slice(0, MAX_MESSAGE_LENGTH);
  return new KnowledgeBaseError(code, `${vendor} ${outcome}: ${shown}`, {
    cause: bareError(cause, redact),
    retryable,
    ...(status !== null && { vendorStatus: status }),
    ...(retryable && { retryAfterMs: retryAfterMs(headers, Date.now()) }),
  });
}

/** Whether a retry may succeed. The guarded fetch decides: a refused address stays refused. */
function isTransient(cause: unknown): boolean {
  for (let at = cause; at instanceof Error; at = at.cause) if (KnowledgeBaseError.is(at)) return at.retryable;
  return true;
}
