export interface StreamEnd {
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Returns what the client is sent last, where the signal ended it. @default nothing */
  readonly lastMessage?: () => Uint8Array;
  /** Called once, however the stream ends. */
  readonly onEnd?: () => void;
}

export function isEventStream({ body, headers }: Response): boolean {
  return body !== null && headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** The same response; a stream of server-sent events ends in good order when the signal fires, whether its client reads or not. */
export function endEventStream(response: Response, end: StreamEnd): Response {
  if (!response.body || !isEventStream(response)) return response;
  return new Response(endable(response.body, end), response);
}

function endable(source: ReadableStream<Uint8Array>, { signal, lastMessage, onEnd }: StreamEnd): ReadableStream {
  const reader = source.getReader();
  let ended = false;
  let onAbort = () => {};
  const finish = () => {
    ended = true;
    signal.removeEventListener("abort", onAbort);
    onEnd?.();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      onAbort = () => {
        finish();
        // The answer is over, whatever its source says about being cancelled.
        reader.cancel(signal.reason).catch(() => {});
        if (lastMessage) controller.enqueue(lastMessage());
        controller.close();
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    },
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        if (!ended) finish();
        throw error;
      });
      // A read that was under way when the signal fired.
      if (ended) return;
      if (!part.done) return controller.enqueue(part.value);
      finish();
      controller.close();
    },
    cancel(reason) {
      finish();
      return reader.cancel(reason);
    },
  });
}
