/**
 * The same answer, whose body says no more than that it broke off: a server may write an error's message into what it sends.
 * @param tell Hears of the cause.
 */
export function watchBody(response: Response, tell: (error: unknown) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        tell(error);
        controller.error(new Error("The answer broke off."));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
