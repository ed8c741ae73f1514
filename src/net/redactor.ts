import { base64Runs, hexRuns } from "./encoded-runs.js";
import { decodeEscapeSequences, decodePlus, type MappedBytes, mapBytes } from "./mapped-bytes.js";
import { type Range, secretFinder } from "./secret-finder.js";

/** The text that replaces a secret. */
const MASK = "••••";
/** Maximum nesting of encodings, such as Basic credentials in JSON that is itself base64-encoded. */
const MAX_DEPTH = 2;

/**
 * Returns a function that masks secrets in texts: verbatim, escaped as in URLs, forms, JSON and HTML, or within
 * base64 (either alphabet, any offset) or hexadecimal, where the whole encoded run is masked.
 *
 * - 12 bytes or more: any 12 consecutive bytes are masked, since a message may be truncated anywhere.
 * - Fewer than 8 bytes: masked only as a separate word.
 * - Fewer than 4 bytes: masked only after a quote, `=`, `: ` or `Bearer`.
 * - URLs: the whole URL, the credentials, the query, the fragment and path segments that look like tokens are masked.
 *   The host, the port and the rest of the path stay if they appear without the URL.
 * - PEM keys: the BEGIN and END lines stay.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const finder = secretFinder(secrets);
  if (!finder) return (text) => text;
  const find = (source: MappedBytes, depth: number): readonly Range[] => {
    const found: Range[] = [];
    for (const decoding of decodingsOf(source, finder.hasSpaces)) {
      const ranges = [...finder.find(decoding.bytes)];
      if (depth > 0) {
        for (const run of [
          ...base64Runs(decoding.bytes, finder.minBytes),
          ...hexRuns(decoding.bytes, finder.minBytes),
        ]) {
          const hasSecret = run.decoded.some(({ bytes, nextWordStart }) =>
            find(mapBytes(bytes, "latin1"), depth - 1).some(({ end }) => end > nextWordStart),
          );
          if (hasSecret) ranges.push(run);
        }
      }
      for (const { start, end } of ranges) {
        found.push({ start: decoding.starts[start]!, end: decoding.ends[end - 1]! });
      }
    }
    return found;
  };
  return (text) => mask(text, find(mapBytes(text), MAX_DEPTH));
}

/** Returns the bytes as they are, with `+` decoded, and with escapes decoded once and twice. */
function decodingsOf(source: MappedBytes, hasSpaces: boolean): readonly MappedBytes[] {
  const first = hasSpaces && source.bytes.includes("+") ? [source, decodePlus(source)] : [source];
  const second = first.flatMap((decoding) => decodeEscapeSequences(decoding) ?? []);
  return [...first, ...second, ...second.flatMap((decoding) => decodeEscapeSequences(decoding) ?? [])];
}

function mask(text: string, ranges: readonly Range[]): string {
  let clean = "";
  let from = 0;
  let maskedTo = -1;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    // Adjacent and overlapping ranges belong to one secret.
    if (start > maskedTo) clean += text.slice(from, start) + MASK;
    from = end;
    maskedTo = end;
  }
  return clean + text.slice(from);
}
