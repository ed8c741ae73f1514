import { KnowledgeBaseError } from "../errors.js";
import { boundedBody, tooLargeError } from "./bounded-body.js";
import type { FetchLimits } from "./fetch-limits.js";
import { isNotPublicError } from "./not-public-error.js";
import { type PrivateHostAccess, requireAllowed } from "./parse-fetch-arguments.js";
import { type Hop, nextHop } from "./redirect.js";
import type { Transport } from "./transport.js";

export interface GuardedCallOptions extends Pick<Transport, "send">, PrivateHostAccess {
  readonly limits: FetchLimits;
  /** The caller's signal. */
  readonly signal: AbortSignal | null;
}

/** One call, from its first request to the end of the response body. */
export class GuardedCall {
  readonly #options: GuardedCallOptions;
  readonly #controller = new AbortController();
  /** Clears the timer and the listener on the caller's signal. */
  readonly #release: () => void;

  constructor(options: GuardedCallOptions) {
    this.#options = options;
    const { signal, limits } = options;
    const abort = () => this.#controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const totalTimer = setTimeout(() => this.#controller.abort(totalTimeoutError(limits.totalMs)), limits.totalMs);
    totalTimer.unref();
    this.#release = () => {
      clearTimeout(totalTimer);
      signal?.removeEventListener("abort", abort);
    };
  }

  async run(first: Hop, redirect: Request["redirect"]): Promise<Response> {
    const { limits } = this.#options;
    try {
      let hop = first;
      for (let redirectCount = 0; ; redirectCount++) {
        const response = await this.#request(hop);
        const next = redirect === "manual" ? null : nextHop(hop, response);
        if (next === null) return this.#withBoundedBody(response, hop, redirectCount > 0);
        await response.body?.cancel();
        if (redirect === "error") throw redirectError(hop, "redirects, which this call does not follow");
        if (redirectCount === limits.maxRedirects)
          throw redirectError(hop, `redirects more than ${redirectCount} times`);
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
    const timer = setTimeout(() => {
      this.#controller.abort(unreachableError(hop, new Error(`no response headers within ${headersMs} ms`)));
    }, headersMs);
    try {
      return await this.#options.send(hop, signal);
    } catch (cause) {
      throw signal.aborted ? signal.reason : unreachableError(hop, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #withBoundedBody(response: Response, { url, method }: Hop, wasRedirected: boolean): Response {
    const { status, statusText, headers } = response;
    const { limits } = this.#options;
    const { origin } = url;
    const contentLength = Number(headers.get("content-length"));
    if (method !== "HEAD" && contentLength > limits.maxBytes) throw tooLargeError(origin, limits.maxBytes);
    const body =
      response.body &&
      boundedBody(response.body, {
        ...limits,
        origin,
        abortReason: () => (this.#controller.signal.aborted ? this.#controller.signal.reason : undefined),
        onEnd: (error) => {
          this.#release();
          if (error !== undefined) this.#controller.abort(error);
        },
      });
    if (body === null) this.#release();
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperties(bounded, { url: { value: url.href }, redirected: { value: wasRedirected } });
  }
}

/**
 * Creates the error for any failure before a response. The message is always the same, so that it does not reveal open
 * ports or existing names. Retryable unless the host is not public, which will not change soon.
 */
function unreachableError({ url }: Hop, cause: unknown): KnowledgeBaseError {
  const reason = "does not respond, or is not a public host (the option network.allowPrivateHosts can allow it)";
  const message = `${url.origin} ${reason}.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: !isNotPublicError(cause), cause });
}

function redirectError({ url }: Hop, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${url.origin} ${problem}.`);
}

function totalTimeoutError(totalMs: number): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The call timed out after ${totalMs / 1000} s.`, {
    retryable: true,
  });
}
