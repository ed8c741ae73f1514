/** An answer that ends, where it is a stream of events, in good order when the signal fires. Others stay as they are. */
export function endEventStream(response: Response, signal: AbortSignal): Response {
  const { body, headers } = response;
  if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body
    .pipeTo(writable, { signal, preventAbort: true })
    .catch((error: unknown) => (signal.aborted ? writable.close() : writable.abort(error)))
    // The client has left already.
    .catch(() => {});
  return new Response(readable, response);
}
