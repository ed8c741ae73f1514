/**
 * Returns an equal response whose body fails with a fixed message, since a server may send the message of an error to
 * the client.
 * @param onError Called with the original error.
 */
export function maskBodyErrors(response: Response, onError: (error: unknown) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await reader.read().catch((error: unknown) => {
        onError(error);
        throw new Error("The response was interrupted.");
      });
      // The stream was cancelled during the read: nobody receives the result.
      if (isCancelled) return;
      if (chunk.done) controller.close();
      else controller.enqueue(chunk.value);
    },
    cancel(reason) {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
