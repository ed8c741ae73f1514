const TEXTS = new WeakMap<Response, string>();

/** A JSON response whose whole text is known, so that servers can send it at once. */
export function jsonResponse(data: unknown, init: ResponseInit): Response {
  const text = JSON.stringify(data);
  const response = new Response(text, init);
  response.headers.set("content-type", "application/json");
  TEXTS.set(response, text);
  return response;
}

/** The text of a response of {@link jsonResponse}; `null` for any other response. */
export function responseText(response: Response): string | null {
  return TEXTS.get(response) ?? null;
}
