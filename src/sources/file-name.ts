import { parse } from "content-disposition";

const MAX_BYTES = 255;

/**
 * The name of a file that was fetched: of the `Content-Disposition` header (RFC 6266, RFC 8187), else of the last segment of an address,
 * one with an extension first. Null where neither has one.
 *
 * @param addresses The one that was asked for and the one that answered.
 */
export function fetchedFileName(disposition: string | null, ...addresses: readonly string[]): string | null {
  const named = disposition === null ? null : cleanName(readable(parse(disposition).parameters.filename ?? ""));
  if (named !== null) return named;
  const names = addresses.map(addressName);
  return names.find((name) => name !== null && /\.[^.]+$/.test(name)) ?? names.find((name) => name !== null) ?? null;
}

/** The last segment of an address, decoded; null for one that ends with `/`. */
function addressName(address: string): string | null {
  const segment = new URL(address).pathname.split("/").at(-1)!;
  try {
    return cleanName(decodeURIComponent(segment));
  } catch {
    // Its percent signs are its own.
    return cleanName(segment);
  }
}

/** Many servers send UTF-8 where the header's grammar has Latin-1. */
function readable(name: string): string {
  if (!/^[\0-\xff]*$/.test(name)) return name;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}

/** A name without a path and without what no name has, in 255 bytes. */
function cleanName(name: string): string | null {
  const base = name.split(/[/\\]/).at(-1)!;
  let clean = base.replace(/\p{Cc}|\p{Bidi_Control}/gu, "").trim();
  if (/^\.*$/.test(clean)) return null;
  const extension = /\.[^.]{1,16}$/.exec(clean)?.[0] ?? "";
  if (Buffer.byteLength(clean) > MAX_BYTES) {
    const stem = [...clean.slice(0, clean.length - extension.length)];
    while (Buffer.byteLength(stem.join("") + extension) > MAX_BYTES) stem.pop();
    clean = stem.join("") + extension;
  }
  return clean;
}
