/** The size of a master key and of the keys derived from it. */
export const KEY_BYTES = 32;

const HEX_PATTERN = /^[0-9a-f]{64}$/i;
const BASE64_PATTERN = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Parses a master key of 32 bytes, given as bytes, hex, base64 or base64url. Returns `null` for anything else. */
export function parseMasterKey(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value.length === KEY_BYTES ? Uint8Array.from(value) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (HEX_PATTERN.test(text)) return Buffer.from(text, "hex");
  return BASE64_PATTERN.test(text) ? Buffer.from(text, "base64") : null;
}
