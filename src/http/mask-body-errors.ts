/**
 * Returns the same response with a body that fails with a fixed message, since a server may send an error's message to
 * the client.
 * @param onError Called with the original error.
 */
export function maskBodyErrors(response: Response, onError: (error: unknown) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        onError(error);
        throw new Error("The response was interrupted.");
      });
      // A pending read ends when the stream is cancelled; there is nobody left to receive its result.
      if (cancelled) return;
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    },
    cancel(reason) {
      cancelled = true;
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
