const WHOLE = new WeakMap<Response, string>();

/** An answer of JSON that is all there when it begins to be sent: nothing on its way can break it off. */
export function wholeJson(data: unknown, init: ResponseInit): Response {
  const text = JSON.stringify(data);
  const response = new Response(text, init);
  response.headers.set("content-type", "application/json");
  WHOLE.set(response, text);
  return response;
}

/** The whole body of an answer; null where it is sent as it comes. */
export function wholeText(response: Response): string | null {
  return WHOLE.get(response) ?? null;
}
