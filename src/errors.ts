/** Every code that a {@link KnowledgeBaseError} can have. */
export const ERROR_CODES = [
  "invalid_input",
  "not_found",
  "conflict",
  "forbidden",
  "unauthorized",
  "unsupported",
  "not_ready",
  "limit_exceeded",
  "provider_failed",
  "store_failed",
  "storage_full",
  "ingest_failed",
  "closed",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One invalid field of an input. */
export interface InputIssue {
  /** The path of the field from the top of the input, such as `config.chunkSize` or `items[3].text`. */
  readonly field: string;
  readonly message: string;
  /** Set if the field is well-formed but refers to something that does not exist. */
  readonly reference?: true;
}

export interface KnowledgeBaseErrorOptions {
  readonly cause?: unknown;
  /** Whether the same call may succeed later without a change. @default false */
  readonly retryable?: boolean;
  /** For `retryable`: the minimum wait in milliseconds, if the service gave one. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Whether the call was deferred without reaching the service, see {@link KnowledgeBaseError.deferred}.
   * @default false
   */
  readonly deferred?: boolean;
  /** The HTTP status of the service's response. */
  readonly httpStatus?: number | undefined;
  /** For `invalid_input`: each invalid field. */
  readonly issues?: readonly InputIssue[];
}

const brand = Symbol.for("lorebase.error");

/** The only error class that Lorebase throws, apart from `AbortError`, which is never wrapped. */
export class KnowledgeBaseError extends Error {
  override readonly name = "KnowledgeBaseError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The minimum wait before another attempt, in milliseconds; `null` if the service gave none. */
  readonly retryAfterMs: number | null;
  /**
   * Whether the call was deferred for `retryAfterMs` without reaching the service: its circuit breaker is open after
   * several failures, or a crawled site asked for a longer wait than the caller can take.
   */
  readonly deferred: boolean;
  /** The HTTP status of the service's response, such as 401; `null` if there was none. */
  readonly httpStatus: number | null;
  readonly issues: readonly InputIssue[];
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: KnowledgeBaseErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.deferred = options.deferred ?? false;
    this.httpStatus = options.httpStatus ?? null;
    this.issues = options.issues ?? [];
  }

  /** Returns whether a value is a KnowledgeBaseError, with this code if given, even of another copy of the package. */
  static is(error: unknown, code?: ErrorCode): error is KnowledgeBaseError {
    const isBranded = typeof error === "object" && error !== null && brand in error;
    return isBranded && (code === undefined || (error as KnowledgeBaseError).code === code);
  }
}

/** Returns whether an error means that a signal aborted the call. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** Returns the message of any thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
