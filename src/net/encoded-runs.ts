import type { Range } from "./secret-finder.js";

/** A part of a text that may be encoded bytes, with all possible decodings. */
export interface EncodedRun extends Range {
  readonly decoded: readonly DecodedBytes[];
}

export interface DecodedBytes {
  /** As a binary string. */
  readonly bytes: string;
  /** Offset at which the next word may start. A match up to there is also found in a shorter run without that word. */
  readonly nextWordStart: number;
}

/** The range of a run. Its first `certainCount` digits are certain to belong together. */
interface DigitRange extends Range {
  readonly certainCount: number;
}

/** Base64 in the standard or URL-safe alphabet, possibly wrapped into indented lines as in mail. */
const BASE64 = /[\w+/-]+(?:[ \t]*\r?\n[ \t]*[\w+/-]+)*={0,2}/g;
const BASE64_GROUP = /[\w+/-]+={0,2}/g;
/** Separates groups of digits. */
const GAP = /^(?: |[ \t]*\r?\n[ \t]*)$/;
/** Maximum length of a gap; a longer gap ends a run. */
const MAX_GAP = 200;
/** Hexadecimal digits, possibly with the separators of hex dumps or wrapped into lines. */
const HEX = /[0-9a-f](?:(?:[ :-]|[:-]?[ \t]*\r?\n[ \t]*)?[0-9a-f])*/gi;

/**
 * Finds runs that may be base64. Characters of the alphabet may precede the encoded text, so a run is decoded from four
 * offsets.
 *
 * Digits may be wrapped over lines, or be in groups of equal length separated by a space. Other groups count as words.
 * Out of scope: groups of different lengths, quoted lines (`> `) and string concatenation in source code.
 *
 * @param minBytes Minimum decoded length
 */
export function base64Runs(bytes: string, minBytes: number): readonly EncodedRun[] {
  const ranges = [...rangesOf(bytes, BASE64), ...groupedRanges(bytes)];
  return runsOf(bytes, ranges, /[\s=]/g, (digits, certainCount) => {
    if (digits.length * 3 < minBytes * 4) return [];
    return [0, 1, 2, 3].map((offset) => ({
      bytes: Buffer.from(digits.slice(offset), "base64").toString("latin1"),
      nextWordStart: Math.floor(((certainCount - offset) * 3) / 4),
    }));
  });
}

/**
 * Finds runs that may be hexadecimal, with both ways to pair the digits. Digits may be wrapped over lines. Out of
 * scope: arrays of decimal, octal or `0x` numbers, and dumps with offsets whose lines are shorter than the secret.
 */
export function hexRuns(bytes: string, minBytes: number): readonly EncodedRun[] {
  return runsOf(bytes, rangesOf(bytes, HEX), /[\s:-]/g, (digits) => {
    if (digits.length < minBytes * 2) return [];
    return [0, 1].map((offset) => ({
      bytes: Buffer.from(digits.slice(offset), "hex").toString("latin1"),
      nextWordStart: 0,
    }));
  });
}

/** Finds ranges of two or more base64 groups of equal length; the last group may be shorter. */
function groupedRanges(bytes: string): readonly DigitRange[] {
  const groups = rangesOf(bytes, BASE64_GROUP);
  const ranges: DigitRange[] = [];
  for (let first = 0, next = 1; first < groups.length; first = next, next++) {
    const length = lengthOf(groups[first]!);
    while (continuesRun(bytes, groups, next) && lengthOf(groups[next]!) === length) next++;
    const hasShorterLast = continuesRun(bytes, groups, next) && lengthOf(groups[next]!) < length;
    const last = hasShorterLast ? next : next - 1;
    if (last === first) continue;
    // If there are only two groups, the shorter second group may be the next word instead.
    const certainCount = next - first === 1 ? length : 0;
    ranges.push({ start: groups[first]!.start, end: groups[last]!.end, certainCount });
  }
  return ranges;
}

function continuesRun(bytes: string, groups: readonly Range[], index: number): boolean {
  const group = groups[index];
  const previous = groups[index - 1];
  if (!group || !previous || group.start - previous.end > MAX_GAP) return false;
  return bytes[previous.end - 1] !== "=" && GAP.test(bytes.slice(previous.end, group.start));
}

function lengthOf({ start, end }: Range): number {
  return end - start;
}

function rangesOf(bytes: string, pattern: RegExp): readonly DigitRange[] {
  return Array.from(bytes.matchAll(pattern), ({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
    certainCount: 0,
  }));
}

function runsOf(
  bytes: string,
  ranges: readonly DigitRange[],
  separators: RegExp,
  decode: (digits: string, certainCount: number) => readonly DecodedBytes[],
): readonly EncodedRun[] {
  return ranges.map(({ start, end, certainCount }) => ({
    start,
    end,
    decoded: decode(bytes.slice(start, end).replace(separators, ""), certainCount),
  }));
}
