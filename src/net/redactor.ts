import { base64Runs, hexRuns } from "./encoded-runs.js";
import { bytesOf, decodeEscapeSequences, decodePlus, type MappedBytes } from "./mapped-bytes.js";
import { type Range, secretFinder } from "./secret-finder.js";

/** The text that replaces a secret. */
const MASK = "••••";
/** Maximum nesting of encodings, such as Basic credentials in JSON that is itself base64-encoded. */
const MAX_DEPTH = 2;

/**
 * Returns a function that removes secrets from texts: verbatim, escaped as in URLs, forms, JSON and HTML, or within
 * base64 (either alphabet, any offset) or hexadecimal, where the whole encoded run is replaced.
 *
 * - 12 bytes or more: any 12 consecutive bytes are removed, since a message may be truncated anywhere.
 * - Fewer than 8 bytes: removed only as a separate word.
 * - Fewer than 4 bytes: removed only after a quote, `=`, `: ` or `Bearer`.
 * - URLs: the whole URL, the credentials, the query, the fragment and path segments that look like tokens are removed.
 *   The host, the port and the rest of the path stay if they appear without the URL.
 * - PEM keys: the armour stays.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const finder = secretFinder(secrets);
  if (!finder) return (text) => text;
  const find = (source: MappedBytes, depth: number): readonly Range[] => {
    const found: Range[] = [];
    for (const layer of layersOf(source, finder.hasSpaces)) {
      const ranges = [...finder.find(layer.bytes)];
      if (depth > 0) {
        for (const run of [...base64Runs(layer.bytes, finder.minBytes), ...hexRuns(layer.bytes, finder.minBytes)]) {
          const hasSecret = run.decoded.some(({ bytes, nextWordStart }) =>
            find(bytesOf(bytes, "latin1"), depth - 1).some(({ end }) => end > nextWordStart),
          );
          if (hasSecret) ranges.push(run);
        }
      }
      for (const { start, end } of ranges) {
        found.push({ start: layer.starts[start]!, end: layer.ends[end - 1]! });
      }
    }
    return found;
  };
  return (text) => mask(text, find(bytesOf(text), MAX_DEPTH));
}

/** Returns the bytes verbatim, and with escapes decoded once and twice. */
function layersOf(source: MappedBytes, hasSpaces: boolean): readonly MappedBytes[] {
  const first = hasSpaces && source.bytes.includes("+") ? [source, decodePlus(source)] : [source];
  const second = first.flatMap((layer) => decodeEscapeSequences(layer) ?? []);
  return [...first, ...second, ...second.flatMap((layer) => decodeEscapeSequences(layer) ?? [])];
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
