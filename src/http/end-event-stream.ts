export interface StreamEnd {
  /** Ends the stream when aborted. */
  readonly signal: AbortSignal;
  /** Returns a last message to send if the signal ends the stream. @default none */
  readonly lastMessage?: () => Uint8Array;
  /** Called once when the stream ends, for whatever reason. */
  readonly onEnd?: () => void;
}

export function isEventStream({ body, headers }: Response): boolean {
  return body !== null && headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/**
 * Returns an equal response whose event stream, if it is one, ends without an error when the signal is aborted, even if
 * nobody reads the stream.
 */
export function endEventStream(response: Response, end: StreamEnd): Response {
  if (!response.body || !isEventStream(response)) return response;
  return new Response(endOnAbort(response.body, end), response);
}

function endOnAbort(source: ReadableStream<Uint8Array>, { signal, lastMessage, onEnd }: StreamEnd): ReadableStream {
  const reader = source.getReader();
  let isEnded = false;
  let onAbort = () => {};
  const finish = () => {
    isEnded = true;
    signal.removeEventListener("abort", onAbort);
    onEnd?.();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      onAbort = () => {
        finish();
        // The response ends even if cancelling its source fails.
        reader.cancel(signal.reason).catch(() => {});
        if (lastMessage) controller.enqueue(lastMessage());
        controller.close();
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    },
    async pull(controller) {
      const chunk = await reader.read().catch((error: unknown) => {
        if (!isEnded) finish();
        throw error;
      });
      // The signal was aborted during the read.
      if (isEnded) return;
      if (!chunk.done) return controller.enqueue(chunk.value);
      finish();
      controller.close();
    },
    cancel(reason) {
      finish();
      return reader.cancel(reason);
    },
  });
}
