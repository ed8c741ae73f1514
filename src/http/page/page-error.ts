import { KnowledgeBaseError } from "../../errors.js";
import { HttpError } from "../errors.js";
import { jsonResponse } from "../json-response.js";
import type { PageStrings } from "./strings/english.js";
import type { PageLanguage } from "./strings/page-language.js";

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

/** Texts of errors, which are fixed, since others could tell what is hidden from visitors. */
type PageErrorText = keyof PageStrings["server"]["errors"];

interface PageErrorOptions {
  /** Instead of that of the code. */
  readonly text?: PageErrorText;
  /** What no visitor causes by using the page, for developers. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
}

/** An error as a visitor sees it. */
export class PageError extends Error {
  readonly code: PageErrorCode;
  readonly retryAfterSeconds: number | null;
  readonly #options: PageErrorOptions;

  constructor(code: PageErrorCode, options: PageErrorOptions = {}) {
    super(options.detail ?? code);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.#options = options;
  }

  /** What the visitor reads. */
  textIn({ strings }: PageLanguage): string {
    const { detail, text = this.code } = this.#options;
    return detail ?? strings.server.errors[text];
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
    return new PageError("invalid_request", { detail: error.message });
  if (!KnowledgeBaseError.is(error)) return null;
  const { code } = error;
  if (code === "not_found" || code === "not_ready" || code === "unsupported") return new PageError("not_found");
  if (code === "invalid_input" || code === "limit_exceeded") return new PageError("invalid_request");
  return code === "conflict" ? new PageError("conflict") : null;
}

export function pageErrorResponse(error: PageError, language: PageLanguage): Response {
  const { code, status, headers } = error;
  return jsonResponse({ error: { code, message: error.textIn(language) } }, { status, headers });
}
