import { KnowledgeBaseError } from "../errors.js";
import { redactor } from "./redactor.js";
import { retryAfterMs } from "./retry-after.js";
import { stripError } from "./strip-error.js";

/** An error response of a service, or a failed connection. */
export interface VendorFailure {
  /** Whether a model or a vector store was called. */
  readonly code: "provider_failed" | "store_failed";
  /** The vendor's name, such as `OpenAI`. */
  readonly vendor: string;
  /** HTTP status; `null` without a readable response. */
  readonly status: number | null;
  /** The complete message of the vendor or the connection, which is truncated here. */
  readonly message: string;
  /** Response headers by lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /**
   * The error of the vendor's package. A copy without its requests is kept. A KnowledgeBaseError nested in it decides
   * `retryable`.
   */
  readonly cause?: unknown;
  /** The API key of the call, which is redacted from the message. @default none */
  readonly apiKey?: string | undefined;
}

const MAX_MESSAGE_LENGTH = 500;
/** Maximum length to redact. A message is redacted before it is truncated: a truncated secret might go unrecognized. */
const MAX_REDACTED_LENGTH = 16_384;

/** Statuses below 500 after which a retry may succeed (RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425). */
const RETRYABLE_CLIENT_STATUSES = new Set([408, 409, 425, 429]);

/** Converts a vendor's failure to an error that says what failed, whether a retry may help, and how long to wait. */
export function vendorError(failure: VendorFailure): KnowledgeBaseError {
  const { code, vendor, status, message, headers = {}, cause, apiKey } = failure;
  const redact = redactor(apiKey ? [apiKey] : []);
  const retryable = status === null ? isRetryable(cause) : RETRYABLE_CLIENT_STATUSES.has(status) || status >= 500;
  const outcome = status === null ? "failed" : `answered ${status}`;
  const reason = redact(message.slice(0, MAX_REDACTED_LENGTH)).slice(0, MAX_MESSAGE_LENGTH);
  return new KnowledgeBaseError(code, `${vendor} ${outcome}: ${reason}`, {
    cause: stripError(cause, redact),
    retryable,
    ...(status !== null && { httpStatus: status }),
    ...(retryable && { retryAfterMs: retryAfterMs(headers, Date.now()) }),
  });
}

/** Returns whether a retry may succeed. A nested KnowledgeBaseError decides, such as for a URL that is not allowed. */
function isRetryable(cause: unknown): boolean {
  if (KnowledgeBaseError.is(cause)) return cause.retryable;
  return cause instanceof Error ? isRetryable(cause.cause) : true;
}
