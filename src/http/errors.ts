import { type ErrorCode, KnowledgeBaseError } from "../errors.js";
import { jsonResponse } from "./json-response.js";

/** The path, relative to the documentation's URL, of the page that explains the error codes. */
export const ERRORS_PAGE = "/api-reference/errors";

/** The error statuses, each with its code and its anchor on the errors page. */
export const HTTP_ERRORS = {
  400: { code: "bad_request", anchor: "bad-request" },
  401: { code: "unauthorized", anchor: "unauthorized" },
  403: { code: "forbidden", anchor: "forbidden" },
  404: { code: "not_found", anchor: "not-found" },
  409: { code: "conflict", anchor: "conflict" },
  410: { code: "invite_expired", anchor: "invite-expired" },
  422: { code: "unprocessable_entity", anchor: "unprocessable-entity" },
  429: { code: "rate_limit_exceeded", anchor: "rate-limit_exceeded" },
  500: { code: "internal_server_error", anchor: "internal-server_error" },
} as const;

export type ErrorStatus = keyof typeof HTTP_ERRORS;

/** A full disk (RFC 4918): a kind of 500, with the same code, of which the client may know the reason. */
const INSUFFICIENT_STORAGE = 507;
const STORAGE_FULL_HEADERS = { "retry-after": "10" };

const STATUS_BY_CODE: Record<ErrorCode, ErrorStatus | typeof INSUFFICIENT_STORAGE> = {
  invalid_input: 422,
  limit_exceeded: 422,
  unsupported: 400,
  not_ready: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  provider_failed: 500,
  store_failed: 500,
  storage_full: INSUFFICIENT_STORAGE,
  ingest_failed: 500,
  closed: 500,
  internal: 500,
};

/** An error that is sent to the client. Its `cause` is only logged. */
export class HttpError extends Error {
  readonly status: ErrorStatus | typeof INSUFFICIENT_STORAGE;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus | typeof INSUFFICIENT_STORAGE,
    message: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

/** Converts any error. An error that the client didn't cause becomes a 500 without details. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!KnowledgeBaseError.is(error)) return internalError(error);
  const status = STATUS_BY_CODE[error.code];
  if (status === 500) return internalError(error);
  if (status === INSUFFICIENT_STORAGE) return storageFullError(error);
  const { issues } = error;
  // A cursor, file or reranker that doesn't exist is a bad request, not an invalid field.
  const refersToNothing = issues.length > 0 && issues.every(({ field, reference }) => reference || field === "cursor");
  return new HttpError(status === 422 && refersToNothing ? 400 : status, error.message);
}

/** The system's own message, which has a path, is only logged. */
function storageFullError(cause: KnowledgeBaseError): HttpError {
  const message = cause.message.replace(/ \(.*\)$/s, "");
  return new HttpError(INSUFFICIENT_STORAGE, message, { headers: STORAGE_FULL_HEADERS, cause });
}

function internalError(cause: unknown): HttpError {
  return new HttpError(500, "The server could not answer this request; see its log for the reason.", { cause });
}

export function errorResponse(error: HttpError, docsUrl: string): Response {
  const { status, headers } = error;
  return jsonResponse(errorEnvelope(error, docsUrl), { status, headers });
}

/** Encodes an error after the response has started, as the last server-sent event of the stream. */
export function errorEvent(error: HttpError, docsUrl: string): Uint8Array {
  return new TextEncoder().encode(`event: error\ndata: ${JSON.stringify(errorEnvelope(error, docsUrl))}\n\n`);
}

function errorEnvelope({ status, message }: HttpError, docsUrl: string): object {
  const { code, anchor } = HTTP_ERRORS[status === INSUFFICIENT_STORAGE ? 500 : status];
  return { success: false, error: { code, message, doc_url: `${docsUrl}${ERRORS_PAGE}#${anchor}` } };
}
