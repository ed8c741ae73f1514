/** Every code a {@link KnowledgeBaseError} can carry. */
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
  "ingest_failed",
  "closed",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One rule that an input broke. */
export interface InputIssue {
  /** Path of the field from the top of the input, as in `config.chunkSize` or `items[3].text`. */
  readonly field: string;
  readonly message: string;
  /** Set where the field is well-formed and names something that is not there. */
  readonly reference?: true;
}

export interface KnowledgeBaseErrorOptions {
  readonly cause?: unknown;
  /** Whether the same call may succeed later without a change. @default false */
  readonly retryable?: boolean;
  /** For `retryable`: how long to wait at least, in milliseconds, where whoever refused has said so. */
  readonly retryAfterMs?: number | undefined;
  /** Whether nothing was asked of the service, which is left alone for now, or it has asked for just that. @default false */
  readonly deferred?: boolean;
  /** HTTP's status of the service that refused. */
  readonly vendorStatus?: number | undefined;
  /** For `invalid_input`: each rule that was broken. */
  readonly issues?: readonly InputIssue[];
}

const brand = Symbol.for("lorebase.error");

/** The only error class that Lorebase throws, apart from `AbortError`, which is never wrapped. */
export class KnowledgeBaseError extends Error {
  override readonly name = "KnowledgeBaseError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** How long to wait at least before trying again, in milliseconds; null where nobody has said. */
  readonly retryAfterMs: number | null;
  /**
   * Whether the service is left alone for `retryAfterMs`, and was not asked at all: it failed several times in a row, or, of a site that is
   * crawled, has itself asked for so long a wait.
   */
  readonly deferred: boolean;
  /** What a hosted service answered, as in 401; null where none was asked or none answered. */
  readonly vendorStatus: number | null;
  readonly issues: readonly InputIssue[];
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: KnowledgeBaseErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.deferred = options.deferred ?? false;
    this.vendorStatus = options.vendorStatus ?? null;
    this.issues = options.issues ?? [];
  }

  /** Whether a value is a KnowledgeBaseError (of that code), also across two copies of the package. */
  static is(error: unknown, code?: ErrorCode): error is KnowledgeBaseError {
    const branded = typeof error === "object" && error !== null && brand in error;
    return branded && (code === undefined || (error as KnowledgeBaseError).code === code);
  }
}

/** Whether an error says that the caller's own signal ended the call. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
