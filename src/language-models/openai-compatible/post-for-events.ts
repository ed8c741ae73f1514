import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../../errors.js";
import { readEventStream, type ServerSentEvent } from "../../net/event-stream.js";
import { readTextStart } from "../../net/read-text-start.js";
import { vendorError } from "../../net/vendor-error.js";
import { vendorReason } from "../../net/vendor-reason.js";

export interface EventRequestOptions {
  /** The vendor's name in error messages. */
  readonly vendor: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal | undefined;
}

/**
 * Posts JSON and yields the events of the response. Ending the iteration aborts the call.
 * @throws KnowledgeBaseError `provider_failed` for an error response, a broken connection, and a response that is not
 * an event stream
 */
export async function* postForEvents(
  url: string,
  body: unknown,
  { vendor, apiKey, fetch, signal }: EventRequestOptions,
): AsyncGenerator<ServerSentEvent> {
  const toError = (status: number | null, message: string, headers = new Headers()) =>
    vendorError({ code: "provider_failed", vendor, status, message, apiKey, headers: Object.fromEntries(headers) });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      // Following a redirect may turn the POST into a GET.
      redirect: "manual",
      ...(signal && { signal }),
    });
    if (!response.ok) {
      const reason = vendorReason(await readTextStart(response));
      throw toError(response.status, reason ?? (response.statusText || "no reason given"), response.headers);
    }
    const type = response.headers.get("content-type") ?? "";
    if (!response.body || /json|html/.test(type)) {
      const reason = vendorReason(await readTextStart(response));
      throw toError(null, reason ?? `a response of type ${type || "none"} instead of an event stream`);
    }
    yield* readEventStream(response.body);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (isAbortError(error) || KnowledgeBaseError.is(error)) throw error;
    throw toError(null, connectionMessage(error));
  }
}

/** Returns the message of an error and its cause: "fetch failed: connect ECONNREFUSED 127.0.0.1:11434". */
function connectionMessage(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? getErrorMessage(error) : `${getErrorMessage(error)}: ${getErrorMessage(cause)}`;
}
