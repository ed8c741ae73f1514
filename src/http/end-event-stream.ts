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

/** The same response; a stream of server-sent events ends in good order when the signal fires. */
export function endEventStream(response: Response, end: StreamEnd): Response {
  if (!response.body || !isEventStream(response)) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void relay(response.body, writable, end)
    // The client has closed the connection.
    .catch(() => {})
    .then(end.onEnd);
  return new Response(readable, response);
}

async function relay(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  { signal, lastMessage }: StreamEnd,
): Promise<void> {
  try {
    await body.pipeTo(writable, { signal, preventAbort: true });
  } catch (error) {
    if (!signal.aborted) return writable.abort(error);
    const writer = writable.getWriter();
    if (lastMessage) await writer.write(lastMessage());
    await writer.close();
  }
}
