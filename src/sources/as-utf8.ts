import { decodeKnown } from "../parsers/shared/charset/decode-text.js";

/** Media types whose bytes are text in a charset. */
const TEXT = /^text\/|[/+](?:html|xhtml|xml|json|javascript)$/;

/**
 * The bytes of a text in UTF-8, where its header names another charset that the bytes are in; any others as they are. A byte order mark
 * says so to whoever reads them, over what the text says of itself: the header's word comes first (WHATWG HTML, "determining the character
 * encoding").
 *
 * @param contentType Of the answer's header.
 */
export function asUtf8(bytes: Uint8Array, contentType: string | null): Uint8Array {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? "")?.[1] ?? null;
  if (charset === null || !TEXT.test(type)) return bytes;
  const decoded = decodeKnown(bytes, charset);
  if (decoded === null || decoded.charset === "utf-8") return bytes;
  return new TextEncoder().encode(`\ufeff${decoded.text}`);
}
