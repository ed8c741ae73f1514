const RESPONSE_TEXTS = new WeakMap<Response, string>();

/** Creates a JSON response and keeps its text, so that servers can send it at once. */
export function jsonResponse(data: unknown, init: ResponseInit): Response {
  const text = JSON.stringify(data);
  const response = new Response(text, init);
  response.headers.set("content-type", "application/json");
  RESPONSE_TEXTS.set(response, text);
  return response;
}

/** Returns the text of a response that {@link jsonResponse} created; `null` for any other response. */
export function getResponseText(response: Response): string | null {
  return RESPONSE_TEXTS.get(response) ?? null;
}
