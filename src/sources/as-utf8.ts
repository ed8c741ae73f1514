import { parseContentType } from "../net/content-type.js";
import { decodeKnown } from "../parsers/shared/charset/decode-text.js";

/** Matches the media types of files that contain text. */
const TEXT_TYPE_PATTERN = /^text\/|[/+](?:html|xhtml|xml|json|javascript)$/;

/**
 * Converts text to UTF-8 if its `Content-Type` header names another charset; returns any other bytes unchanged.
 * Converted text has a BOM, which takes precedence over a charset declared in the text, as the header does (WHATWG
 * HTML, "determining the character encoding").
 */
export function asUtf8(bytes: Uint8Array, contentType: string | null): Uint8Array {
  const { mimeType, charset } = parseContentType(contentType);
  if (charset === null || !TEXT_TYPE_PATTERN.test(mimeType ?? "")) return bytes;
  const decoded = decodeKnown(bytes, charset);
  if (decoded === null || decoded.charset === "utf-8") return bytes;
  return new TextEncoder().encode(`\ufeff${decoded.text}`);
}
