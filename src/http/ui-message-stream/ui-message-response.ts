import type { UiMessageChunk } from "./ui-message-chunk.js";

/** The interval of pings. Proxies close idle connections. */
const PING_MS = 15_000;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

export interface UiMessageResponseOptions {
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
  /** The text of an error that the client sees. */
  readonly errorText: (error: unknown) => string;
  /** Called with the error of a stream that the client did not cancel. */
  readonly onError: (error: unknown) => void;
}

/**
 * Responds with the UI message stream of the AI SDK: server-sent events, one for each chunk, and `[DONE]` at the end.
 * @param start Starts the stream. The signal is aborted once nobody reads it any more.
 */
export function uiMessageResponse(
  start: (signal: AbortSignal) => AsyncGenerator<UiMessageChunk>,
  { signal, errorText, onError }: UiMessageResponseOptions,
): Response {
  const cancelled = new AbortController();
  const ended = AbortSignal.any([signal, cancelled.signal]);
  const events = formatEvents(start(ended), (error) => {
    if (!ended.aborted) onError(error);
    return errorText(error);
  });
  let ping: NodeJS.Timeout;
  const stopPing = () => clearInterval(ping);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ping = setInterval(() => {
        // Pings that nobody reads would only fill the memory.
        if (controller.desiredSize! > 0) controller.enqueue(encode(": ping\n\n"));
      }, PING_MS).unref();
      if (ended.aborted) stopPing();
      else ended.addEventListener("abort", stopPing, { once: true });
    },
    async pull(controller) {
      const { done, value } = await events.next().catch((error: unknown) => {
        stopPing();
        throw error;
      });
      if (!done) return controller.enqueue(encode(value));
      stopPing();
      controller.close();
    },
    async cancel() {
      cancelled.abort();
      // A generator suspended at a yield ignores the signal; `return` ends the answer.
      await events.return(undefined);
    },
  });
  return new Response(body, { headers: HEADERS });
}

export function isUiMessageStream({ headers }: Response): boolean {
  return headers.has("x-vercel-ai-ui-message-stream");
}

/** Returns the last events of a stream that failed. */
export function uiMessageError(errorText: string): string {
  return `${formatEvent({ type: "error", errorText })}data: [DONE]\n\n`;
}

async function* formatEvents(
  chunks: AsyncGenerator<UiMessageChunk>,
  onError: (error: unknown) => string,
): AsyncGenerator<string, void> {
  try {
    for await (const chunk of chunks) yield formatEvent(chunk);
  } catch (error) {
    yield uiMessageError(onError(error));
    return;
  }
  yield "data: [DONE]\n\n";
}

function formatEvent(chunk: UiMessageChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
