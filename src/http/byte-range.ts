import type { ByteRange } from "../index.js";

/**
 * The one range that a Range header asks for (RFC 9110, section 14). Null sends the whole: for no header, for several ranges, and for a
 * header that is none, as the RFC allows.
 * @param size Of the whole, in bytes.
 * @returns "unsatisfiable" where it begins beyond the end
 */
export function parseRange(header: string | null, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
