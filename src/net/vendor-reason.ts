/**
 * The sentence by which the body of a refusal says what was wrong: `error.message`, `error`, `message` or `detail` of its JSON, which is
 * where the vendors put it. Null for a body that says nothing of the kind, such as a proxy's page.
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

/** The same, of a body that has been parsed already. */
export function reasonIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const { error, message, detail } = body as Readonly<Record<string, unknown>>;
  const reason = [error, message, detail].map(textOf).find((text) => text !== null);
  return reason ?? reasonIn(error);
}

/** Some vendors give a list of what was wrong with each field. */
function textOf(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : null;
}
