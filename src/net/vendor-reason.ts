/**
 * Returns the error message in a JSON response body: `error.message`, `error`, `message` or `detail`. Returns `null`
 * for any other body, such as a proxy's HTML page.
 */
export function vendorReason(body: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  return reasonIn(parsed);
}

/** Like {@link vendorReason}, for a parsed body. */
export function reasonIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const { error, message, detail } = body as Readonly<Record<string, unknown>>;
  const reason = [error, message, detail].map(textOf).find((text) => text !== null);
  return reason ?? reasonIn(error);
}

/** Returns a text, or a list as JSON, since some vendors return a list of errors by field. */
function textOf(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : null;
}
