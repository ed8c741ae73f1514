import { parse } from "content-disposition";

const MAX_NAME_BYTES = 255;

/**
 * Returns the name of a fetched file: the name in the `Content-Disposition` header (RFC 6266, RFC 8187), otherwise the
 * last path segment of a URL, preferably a segment with an extension. Returns `null` if none of them has a name.
 *
 * @param urls The URL that was requested and, after redirects, the URL that responded.
 */
export function fetchedFileName(disposition: string | null, ...urls: readonly string[]): string | null {
  const headerName =
    disposition === null ? null : cleanName(decodeLatin1AsUtf8(parse(disposition).parameters.filename ?? ""));
  if (headerName !== null) return headerName;
  const names = urls.map(nameFromUrl);
  return names.find((name) => name !== null && /\.[^.]+$/.test(name)) ?? names.find((name) => name !== null) ?? null;
}

/** Returns the last path segment, decoded and cleaned; `null` if it is empty or consists only of dots. */
function nameFromUrl(url: string): string | null {
  const segment = new URL(url).pathname.split("/").at(-1)!;
  try {
    return cleanName(decodeURIComponent(segment));
  } catch {
    // The percent signs are not escapes.
    return cleanName(segment);
  }
}

/** Decodes a name as UTF-8 if possible. Many servers send UTF-8 although the standard defines headers as Latin-1. */
function decodeLatin1AsUtf8(name: string): string {
  if (!/^[\0-\xff]*$/.test(name)) return name;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}

/** Removes the path and control and bidi characters, and truncates to 255 bytes; `null` if nothing but dots remains. */
function cleanName(name: string): string | null {
  const base = name.split(/[/\\]/).at(-1)!;
  let cleaned = base.replace(/\p{Cc}|\p{Bidi_Control}/gu, "").trim();
  if (/^\.*$/.test(cleaned)) return null;
  const extension = /\.[^.]{1,16}$/.exec(cleaned)?.[0] ?? "";
  if (Buffer.byteLength(cleaned) > MAX_NAME_BYTES) {
    const stem = [...cleaned.slice(0, cleaned.length - extension.length)];
    while (Buffer.byteLength(stem.join("") + extension) > MAX_NAME_BYTES) stem.pop();
    cleaned = stem.join("") + extension;
  }
  return cleaned;
}
