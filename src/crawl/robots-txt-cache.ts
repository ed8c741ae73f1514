import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { readBody } from "./read-body.js";
import { MAX_ROBOTS_BYTES, NO_RULES, parseRobotsTxt, type RobotsTxt } from "./robots-txt.js";
import type { CrawlSignals, SiteClient } from "./site-client.js";

/** Fetches robots.txt once for each origin that a crawl reaches. */
export class RobotsTxtCache {
  readonly #client: SiteClient;
  readonly #limits: CrawlLimits;
  readonly #files = new Map<string, Promise<RobotsTxt>>();

  constructor(client: SiteClient, limits: CrawlLimits) {
    this.#client = client;
    this.#limits = limits;
  }

  /**
   * Returns the rules of an origin. A status of 400 to 499, except 408 and 429, allows everything (RFC 9309, section
   * 2.3.1.3).
   *
   * @throws KnowledgeBaseError `invalid_input` for an origin that must not be contacted; `provider_failed`, retryable,
   * if the file can't be fetched, in which case nothing is allowed, and `deferred` like {@link SiteClient.send}
   * @throws the reason of `signal` or `waitSignal` when it is aborted
   */
  get(origin: string, signals: CrawlSignals): Promise<RobotsTxt> {
    const known = this.#files.get(origin);
    if (known !== undefined) return known;
    const file = this.#fetch(origin, signals);
    this.#files.set(origin, file);
    file.catch(() => this.#files.delete(origin));
    return file;
  }

  async #fetch(origin: string, signals: CrawlSignals): Promise<RobotsTxt> {
    const request = { followRedirects: true, maxBytes: this.#limits.maxFileBytes, ...signals };
    try {
      return await this.#client.send(`${origin}/robots.txt`, request, async (response) => {
        const { status } = response;
        if (status >= 500)
          throw new KnowledgeBaseError("provider_failed", `HTTP status ${status}.`, { retryable: true });
        if (status < 200 || status > 299) return NO_RULES;
        const bytes = await readBody(response, {
          maxBytes: MAX_ROBOTS_BYTES,
          maxMs: this.#limits.pageMs,
          truncate: true,
        });
        return parseRobotsTxt(origin, new TextDecoder().decode(bytes));
      });
    } catch (cause) {
      signals.signal.throwIfAborted();
      signals.waitSignal.throwIfAborted();
      if (KnowledgeBaseError.is(cause) && cause.deferred) throw cause;
      // A URL that the network rules forbid stays forbidden.
      if (KnowledgeBaseError.is(cause, "invalid_input")) throw cause;
      // An origin with too many redirects counts as having no robots.txt (RFC 9309, section 2.3.1.2).
      if (KnowledgeBaseError.is(cause, "provider_failed") && !cause.retryable) return NO_RULES;
      const message = `${origin}/robots.txt could not be fetched, so the site can't be crawled for now: ${getErrorMessage(cause)}`;
      throw new KnowledgeBaseError("provider_failed", message, { retryable: true, cause });
    }
  }
}
