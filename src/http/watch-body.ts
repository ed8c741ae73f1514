/**
 * The same answer, whose body says no more than that it broke off: a server may write an error's message into what it sends.
 * @param tell Hears of the cause.
 */
export function watchBody(response: Response, tell: (error: unknown) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        tell(error);
        throw new Error("The answer broke off.");
      });
      // A read that was under way ends with the cancelling; there is nobody left to hand it to.
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
