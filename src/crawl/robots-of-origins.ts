import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { readBytes } from "./read-bytes.js";
import type { CrawlRequest, Requests } from "./requests.js";
import { MAX_ROBOTS_BYTES, NO_RULES, parseRobotsTxt, type RobotsTxt } from "./robots-txt.js";

/** The robots.txt of each origin that a crawl comes to, asked for once. */
export class RobotsOfOrigins {
  readonly #requests: Requests;
  readonly #limits: CrawlLimits;
  readonly #known = new Map<string, Promise<RobotsTxt>>();

  constructor(requests: Requests, limits: CrawlLimits) {
    this.#requests = requests;
    this.#limits = limits;
  }

  /**
   * What an origin asks of us. An answer of 400 to 499 says that all is allowed (RFC 9309, section 2.3.1.3); 429 doesn't.
   * @throws KnowledgeBaseError `invalid_input` for an origin that is refused, `provider_failed`, retryable, where it can't be had: nothing is allowed then; `deferred` as
   * {@link Requests.send} says
   * @throws what `signal` or `waits` was aborted with
   */
  of(origin: string, signals: Pick<CrawlRequest, "signal" | "waits">): Promise<RobotsTxt> {
    const known = this.#known.get(origin);
    if (known !== undefined) return known;
    const asked = this.#ask(origin, signals);
    this.#known.set(origin, asked);
    asked.catch(() => this.#known.delete(origin));
    return asked;
  }

  async #ask(origin: string, signals: Pick<CrawlRequest, "signal" | "waits">): Promise<RobotsTxt> {
    const request = { followRedirects: true, maxBytes: this.#limits.maxFileBytes, ...signals };
    try {
      return await this.#requests.send(`${origin}/robots.txt`, request, async (response) => {
        const { status } = response;
        if (status >= 500)
          throw new KnowledgeBaseError("provider_failed", `The site answers ${status}.`, { retryable: true });
        if (status < 200 || status > 299) return NO_RULES;
        const bytes = await readBytes(response, {
          maxBytes: MAX_ROBOTS_BYTES,
          totalMs: this.#limits.pageMs,
          keepsStart: true,
        });
        return parseRobotsTxt(origin, new TextDecoder().decode(bytes));
      });
    } catch (cause) {
      signals.signal?.throwIfAborted();
      signals.waits?.throwIfAborted();
      if (KnowledgeBaseError.is(cause) && cause.deferred) throw cause;
      // An address that is refused as it stands stays refused.
      if (KnowledgeBaseError.is(cause, "invalid_input")) throw cause;
      // More redirects than are followed, which counts as having none (RFC 9309, section 2.3.1.2).
      if (KnowledgeBaseError.is(cause, "provider_failed") && !cause.retryable) return NO_RULES;
      const message = `${origin}/robots.txt can't be had, so nothing of that site may be fetched for now: ${messageOf(cause)}`;
      throw new KnowledgeBaseError("provider_failed", message, { retryable: true, cause });
    }
  }
}
