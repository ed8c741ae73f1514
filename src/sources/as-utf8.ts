import { parseContentType } from "../net/content-type.js";
import { decodeKnown } from "../parsers/shared/charset/decode-text.js";

/** Media types whose bytes are text in a charset. */
const TEXT_TYPES = /^text\/|[/+](?:html|xhtml|xml|json|javascript)$/;

/**
 * Converts text to UTF-8 if its `Content-Type` header names another charset; other bytes are returned unchanged. The
 * result has a byte order mark, which overrides a charset declared in the text, as the header does (WHATWG HTML,
 * "determining the character encoding").
 */
export function asUtf8(bytes: Uint8Array, contentType: string | null): Uint8Array {
  const { mimeType, charset } = parseContentType(contentType);
  if (charset === null || !TEXT_TYPES.test(mimeType ?? "")) return bytes;
  const decoded = decodeKnown(bytes, charset);
  if (decoded === null || decoded.charset === "utf-8") return bytes;
  return new TextEncoder().encode(`\ufeff${decoded.text}`);
}
