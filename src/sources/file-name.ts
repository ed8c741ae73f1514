import { parse } from "content-disposition";

const MAX_NAME_BYTES = 255;

/**
 * The name of a fetched file: from the `Content-Disposition` header (RFC 6266, RFC 8187), else the last path segment of
 * a URL, preferably one with an extension. `null` if neither has one.
 *
 * @param addresses The URL requested and the one that responded.
 */
export function fetchedFileName(disposition: string | null, ...addresses: readonly string[]): string | null {
  const named =
    disposition === null ? null : cleanName(decodeLatin1AsUtf8(parse(disposition).parameters.filename ?? ""));
  if (named !== null) return named;
  const names = addresses.map(nameFromUrl);
  return names.find((name) => name !== null && /\.[^.]+$/.test(name)) ?? names.find((name) => name !== null) ?? null;
}

/** The last path segment, decoded; `null` if the path ends with `/`. */
function nameFromUrl(address: string): string | null {
  const segment = new URL(address).pathname.split("/").at(-1)!;
  try {
    return cleanName(decodeURIComponent(segment));
  } catch {
    // The percent signs are not escapes.
    return cleanName(segment);
  }
}

/** Many servers send UTF-8 in a header that the standard defines as Latin-1. */
function decodeLatin1AsUtf8(name: string): string {
  if (!/^[\0-\xff]*$/.test(name)) return name;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}

/** Removes the path, control and bidi characters, and shortens the name to 255 bytes. */
function cleanName(name: string): string | null {
  const base = name.split(/[/\\]/).at(-1)!;
  let clean = base.replace(/\p{Cc}|\p{Bidi_Control}/gu, "").trim();
  if (/^\.*$/.test(clean)) return null;
  const extension = /\.[^.]{1,16}$/.exec(clean)?.[0] ?? "";
  if (Buffer.byteLength(clean) > MAX_NAME_BYTES) {
    const stem = [...clean.slice(0, clean.length - extension.length)];
    while (Buffer.byteLength(stem.join("") + extension) > MAX_NAME_BYTES) stem.pop();
    clean = stem.join("") + extension;
  }
  return clean;
}
