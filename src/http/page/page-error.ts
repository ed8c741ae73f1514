import { KnowledgeBaseError } from "../../errors.js";
import { HttpError } from "../errors.js";
import { jsonResponse } from "../json-response.js";

/** The errors of a page's routes, with their statuses. */
const STATUSES = {
  invalid_request: 400,
  sign_in_required: 403,
  sign_in_unavailable: 403,
  invalid_code: 403,
  search_disabled: 403,
  cross_site_request: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  internal: 500,
} as const;

export type PageErrorCode = keyof typeof STATUSES;

const MESSAGES: Readonly<Record<PageErrorCode, string>> = {
  invalid_request: "The request is not valid.",
  sign_in_required: "Sign in to use this page.",
  sign_in_unavailable: "Signing in by e-mail is not available on this page.",
  invalid_code: "The code is wrong or has expired.",
  search_disabled: "Search is turned off on this page.",
  cross_site_request: "Requests from other sites are not allowed.",
  not_found: "This does not exist.",
  conflict: "The documents have changed in the meantime. Try again.",
  rate_limited: "Too many requests. Try again later.",
  internal: "Something went wrong. Try again later.",
};

/** An error as a visitor sees it. Messages are fixed, since others could tell what is hidden from visitors. */
export class PageError extends Error {
  readonly code: PageErrorCode;
  readonly retryAfterSeconds: number | null;

  constructor(code: PageErrorCode, options: { readonly message?: string; readonly retryAfterSeconds?: number } = {}) {
    super(options.message ?? MESSAGES[code]);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  get status(): number {
    return STATUSES[this.code];
  }

  get headers(): Readonly<Record<string, string>> {
    return this.retryAfterSeconds === null ? {} : { "retry-after": String(this.retryAfterSeconds) };
  }
}

/** Converts any error; `null` for those whose cause must be logged. */
export function toPageError(error: unknown): PageError | null {
  if (error instanceof PageError) return error;
  // Of a body that can't be read. Its message names nothing that the visitor hasn't sent.
  if (error instanceof HttpError && error.cause === undefined)
    return new PageError("invalid_request", { message: error.message });
  if (!KnowledgeBaseError.is(error)) return null;
  const { code } = error;
  if (code === "not_found" || code === "not_ready" || code === "unsupported") return new PageError("not_found");
  if (code === "invalid_input" || code === "limit_exceeded") return new PageError("invalid_request");
  return code === "conflict" ? new PageError("conflict") : null;
}

export function pageErrorResponse(error: PageError): Response {
  const { code, message, status, headers } = error;
  return jsonResponse({ error: { code, message } }, { status, headers });
}
