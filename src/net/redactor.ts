import { base64Runs, hexRuns } from "./encoded-runs.js";
import { bytesOf, type MappedBytes, spacesForPlus, unescaped } from "./mapped-bytes.js";
import { type Range, secretFinder } from "./secret-finder.js";

/** What stands for a secret. */
const MASK = "••••";
/** Encodings within encodings: Basic credentials in a JSON text that is base64 itself. */
const DEPTH = 2;

/**
 * Removes secrets from texts that may quote them: as they are, escaped as in URLs, forms, JSON and HTML, or as part of what is encoded in
 * base64 or hexadecimal, in either alphabet and at any offset. An encoded run is replaced whole. Of a secret of 12 bytes or more, any 12
 * consecutive ones are removed, since whoever shortens a message may cut it anywhere. One of fewer than 8 is part of many words, and is
 * removed only where it stands as a word of its own; one of fewer than 4, only where a quote, `=`, `: ` or `Bearer` precedes it.
 * Of a secret that is a URL, the whole, the credentials, the query and the fragment are removed, and parts of the path that look like
 * tokens; the host, the port and the rest of the path stay where they are quoted alone, and so does the armour of a key in PEM.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const finder = secretFinder(secrets);
  if (!finder) return (text) => text;
  const find = (source: MappedBytes, depth: number): readonly Range[] => {
    const found: Range[] = [];
    for (const layer of layersOf(source, finder.spaces)) {
      const ranges = [...finder.find(layer.bytes)];
      if (depth > 0) {
        for (const run of [...base64Runs(layer.bytes, finder.shortest), ...hexRuns(layer.bytes, finder.shortest)]) {
          const holdsSecret = run.decoded.some(({ bytes, wordFrom }) =>
            find(bytesOf(bytes, "latin1"), depth - 1).some(({ end }) => end > wordFrom),
          );
          if (holdsSecret) ranges.push(run);
        }
      }
      for (const { start, end } of ranges) {
        found.push({ start: layer.starts[start]!, end: layer.ends[end - 1]! });
      }
    }
    return found;
  };
  return (text) => masked(text, find(bytesOf(text), DEPTH));
}

/** The bytes as they stand, and with their escapes resolved once and twice. */
function layersOf(source: MappedBytes, spaces: boolean): readonly MappedBytes[] {
  const first = spaces && source.bytes.includes("+") ? [source, spacesForPlus(source)] : [source];
  const second = first.flatMap((layer) => unescaped(layer) ?? []);
  return [...first, ...second, ...second.flatMap((layer) => unescaped(layer) ?? [])];
}

function masked(text: string, ranges: readonly Range[]): string {
  let clean = "";
  let from = 0;
  let maskedTo = -1;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    // Ranges that touch or overlap are one secret.
    if (start > maskedTo) clean += text.slice(from, start) + MASK;
    from = end;
    maskedTo = end;
  }
  return clean + text.slice(from);
}
