import { KnowledgeBaseError } from "../errors.js";
import { boundedBody, tooLarge } from "./bounded-body.js";
import type { FetchLimits } from "./fetch-limits.js";
import { isNotPublic } from "./not-public-error.js";
import { type Reach, requireAllowed } from "./read-request.js";
import { type Hop, redirected } from "./redirect.js";
import type { Transport } from "./transport.js";

export interface GuardedCallOptions extends Pick<Transport, "send">, Reach {
  readonly limits: FetchLimits;
  /** The caller's own. */
  readonly signal: AbortSignal | null;
}

/** One call from its first request to the end of its answer's body. */
export class GuardedCall {
  readonly #options: GuardedCallOptions;
  readonly #controller = new AbortController();
  /** Ends the watch over time and the caller's signal. */
  readonly #release: () => void;

  constructor(options: GuardedCallOptions) {
    this.#options = options;
    const { signal, limits } = options;
    const abort = () => this.#controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const total = setTimeout(() => this.#controller.abort(tooLong(limits.totalMs)), limits.totalMs);
    total.unref();
    this.#release = () => {
      clearTimeout(total);
      signal?.removeEventListener("abort", abort);
    };
  }

  async run(first: Hop, redirect: Request["redirect"]): Promise<Response> {
    const { limits } = this.#options;
    try {
      let hop = first;
      for (let hops = 0; ; hops++) {
        const response = await this.#request(hop);
        const next = redirect === "manual" ? null : redirected(hop, response);
        if (next === null) return this.#bounded(response, hop, hops > 0);
        await response.body?.cancel();
        if (redirect === "error") throw refused(hop, "redirects, which this call does not follow");
        if (hops === limits.maxRedirects) throw refused(hop, `is redirect ${hops + 1}, and ${hops} are followed`);
        requireAllowed(next.url, this.#options);
        hop = next;
      }
    } catch (error) {
      this.#release();
      this.#controller.abort(error);
      throw error;
    }
  }

  async #request(hop: Hop): Promise<Response> {
    const { signal } = this.#controller;
    const { headersMs } = this.#options.limits;
    const slow = setTimeout(() => {
      this.#controller.abort(unreachable(hop, new Error(`no answer within ${headersMs} ms`)));
    }, headersMs);
    try {
      return await this.#options.send(hop, signal);
    } catch (cause) {
      throw signal.aborted ? signal.reason : unreachable(hop, cause);
    } finally {
      clearTimeout(slow);
    }
  }

  #bounded(response: Response, { url, method }: Hop, wasRedirected: boolean): Response {
    const { status, statusText, headers } = response;
    const { limits } = this.#options;
    const { origin } = url;
    const announced = Number(headers.get("content-length"));
    if (method !== "HEAD" && announced > limits.maxBytes) throw tooLarge(origin, limits.maxBytes);
    const body =
      response.body &&
      boundedBody(response.body, {
        ...limits,
        origin,
        ended: () => (this.#controller.signal.aborted ? this.#controller.signal.reason : undefined),
        onEnd: (error) => {
          this.#release();
          if (error !== undefined) this.#controller.abort(error);
        },
      });
    if (body === null) this.#release();
    const answer = new Response(body, { status, statusText, headers });
    return Object.defineProperties(answer, { url: { value: url.href }, redirected: { value: wasRedirected } });
  }
}

/**
 * One message for whatever happens before an answer: it tells nobody which ports are open, nor which names there are. A host that is not
 * public won't become so within a few tries, so that alone is not retryable.
 */
function unreachable({ url }: Hop, cause: unknown): KnowledgeBaseError {
  const message = `${url.origin} gives no answer, or is not a public host (the option network.allowPrivateHosts allows one).`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: !isNotPublic(cause), cause });
}

function refused({ url }: Hop, what: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${url.origin} ${what}.`);
}

function tooLong(totalMs: number): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The call took longer than ${totalMs} ms.`, { retryable: true });
}
