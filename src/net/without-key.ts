/** A text of a vendor's that may quote the key it was called with, without that key. */
export function withoutKey(text: string, key: string | undefined): string {
  return key ? text.replaceAll(key, "••••") : text;
}
