import { KnowledgeBaseError } from "../../errors.js";
import type { VideoCallOptions } from "../../interfaces/video-source.js";
import { responseErrorOptions } from "../../net/retry-after.js";

/** Declines optional cookies. Without this cookie, some countries' visitors are redirected to a consent form. */
const CONSENT_COOKIE = "SOCS=CAI";

export interface SiteCall extends VideoCallOptions {
  /** What is fetched, for error messages, e.g. `video dQw4w9WgXcQ`. */
  readonly subject: string;
}

/** Sends requests to YouTube's site. */
export class YoutubeSite {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Resolves a URL that the site sent; `null` if it is invalid. */
  resolve(url: string): URL | null {
    return URL.canParse(url, this.#baseUrl) ? new URL(url, this.#baseUrl) : null;
  }

  /** Fetches a page or an API response as text. */
  async get(path: string, call: SiteCall): Promise<string> {
    return this.#readText(await this.#send(path, { headers: HEADERS }, call), call);
  }

  /** Sends a request to the API that the site's pages use. Returns the response as text. */
  async post(path: string, body: unknown, call: SiteCall): Promise<string> {
    const headers = { ...HEADERS, "content-type": "application/json" };
    return this.#readText(await this.#send(path, { method: "POST", headers, body: JSON.stringify(body) }, call), call);
  }

  #send(path: string, init: RequestInit, { fetch, signal }: SiteCall): Promise<Response> {
    return fetch(new URL(path, this.#baseUrl).href, { ...init, signal: signal ?? null });
  }

  async #readText(response: Response, { subject }: SiteCall): Promise<string> {
    const { status } = response;
    if (/^consent\./.test(hostOf(response.url))) {
      await response.body?.cancel();
      throw consentError(subject);
    }
    if (response.ok) return response.text();
    await response.body?.cancel();
    if (status === 404 || status === 410) {
      throw new KnowledgeBaseError("not_found", `The ${subject} was not found (status ${status}).`, {
        httpStatus: status,
      });
    }
    const reason = status === 429 ? "the site limits requests for now" : "the site rejected the request";
    const message = `The ${subject} is not available: ${reason} (status ${status}).`;
    throw new KnowledgeBaseError("provider_failed", message, responseErrorOptions(response));
  }
}

const HEADERS = { "accept-language": "en", cookie: CONSENT_COOKIE };

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

export function consentError(subject: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The ${subject} is not available: the site requires consent to cookies first.`,
  );
}

/** Whether a page is the cookie consent form, which is shown instead of the requested page. */
export function isConsentForm(html: string): boolean {
  return /<form[^<>]*action="https:\/\/consent\./.test(html);
}

/** Returns the error for a response that lacks the data that it should have. */
export function missingDataError(subject: string, missing: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The ${subject} can't be read: the site's response has no ${missing}. The site may have changed. Update ` +
      "Lorebase, or use a custom VideoSource.",
  );
}
