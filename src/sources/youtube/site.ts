import { KnowledgeBaseError } from "../../errors.js";
import type { VideoCallOptions } from "../../interfaces/video-source.js";
import { retryAfterMs } from "../../net/retry-after.js";

/** Answers that another attempt may change (RFC 9110, section 15; RFC 6585 for 429). */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Says that no choice has been made on cookies: without it visitors of some countries are sent to a page that asks for one. */
const NO_CHOICE = "SOCS=CAI";

/** What is asked of the site, in messages: `video dQw4w9WgXcQ`. */
export interface Asked extends VideoCallOptions {
  readonly subject: string;
}

/** The site: one address under which all of its paths are. */
export class YoutubeSite {
  readonly #base: string;

  constructor(baseUrl: string) {
    this.#base = baseUrl;
  }

  /** Where an address that the site gives leads, seen from where the site is asked. */
  resolve(address: string): URL | null {
    return URL.canParse(address, this.#base) ? new URL(address, this.#base) : null;
  }

  /** Fetches a page or an answer as text. */
  async get(path: string, asked: Asked): Promise<string> {
    return this.#text(await this.#call(path, { headers: HEADERS }, asked), asked);
  }

  /** Sends a question of the site's own pages. */
  async post(path: string, body: unknown, asked: Asked): Promise<string> {
    const headers = { ...HEADERS, "content-type": "application/json" };
    return this.#text(await this.#call(path, { method: "POST", headers, body: JSON.stringify(body) }, asked), asked);
  }

  #call(path: string, init: RequestInit, { fetch, signal }: Asked): Promise<Response> {
    return fetch(new URL(path, this.#base).href, { ...init, signal: signal ?? null });
  }

  async #text(response: Response, { subject }: Asked): Promise<string> {
    const { status } = response;
    if (/^consent\./.test(hostOf(response.url))) {
      await response.body?.cancel();
      throw asksForConsent(subject);
    }
    if (response.ok) return response.text();
    await response.body?.cancel();
    if (status === 404 || status === 410) {
      throw new KnowledgeBaseError("not_found", `There is no ${subject}: the site answered ${status}.`, {
        vendorStatus: status,
      });
    }
    const isTransient = TRANSIENT.has(status);
    const why = status === 429 ? "the site refuses more requests for now" : "the site refused the request";
    throw new KnowledgeBaseError("provider_failed", `The ${subject} cannot be had: ${why} (${status}).`, {
      vendorStatus: status,
      retryable: isTransient,
      retryAfterMs: isTransient ? retryAfterMs(Object.fromEntries(response.headers), Date.now()) : undefined,
    });
  }
}

const HEADERS = { "accept-language": "en", cookie: NO_CHOICE };

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : "";
}

/** The site shows a form in place of what was asked for. */
export function asksForConsent(subject: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The ${subject} cannot be had: the site asks for consent to cookies first, which only a person can give.`,
  );
}

/** Whether a page is the form that is shown in place of what was asked for. */
export function asksForConsentIn(html: string): boolean {
  return /<form[^<>]*action="https:\/\/consent\./.test(html);
}

/** The site's answer is none that this version can read. */
export function unknownShape(subject: string, missing: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "provider_failed",
    `The ${subject} cannot be read: the site's answer has no ${missing}. The site may have changed; a newer version, or a VideoSource of your own, can read it.`,
  );
}
