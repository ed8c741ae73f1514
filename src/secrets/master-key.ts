export const KEY_BYTES = 32;

const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Parses 32 bytes, given as such or as hex, base64 or base64url. Returns `null` for anything else. */
export function parseMasterKey(given: unknown): Uint8Array | null {
  if (given instanceof Uint8Array) return given.length === KEY_BYTES ? Uint8Array.from(given) : null;
  if (typeof given !== "string") return null;
  const text = given.trim();
  if (HEX.test(text)) return Buffer.from(text, "hex");
  return BASE64.test(text) ? Buffer.from(text, "base64") : null;
}
