const WHOLE = new WeakSet<Response>();

/** An answer of JSON that is all there when it begins to be sent: nothing on its way can break it off. */
export function wholeJson(data: unknown, init: ResponseInit): Response {
  const response = Response.json(data, init);
  WHOLE.add(response);
  return response;
}

export function isWhole(response: Response): boolean {
  return WHOLE.has(response);
}
