import type { Range } from "./secret-finder.js";

/** A part of a text that may be encoded bytes, with each way to decode it. */
export interface EncodedRun extends Range {
  readonly decoded: readonly DecodedBytes[];
}

export interface DecodedBytes {
  /** One byte a character. */
  readonly bytes: string;
  /** What ends at this byte or before it also stands in a shorter run: this one has a word at its end, then. */
  readonly wordFrom: number;
}

/** A run, with how many of its digits are certain to belong together. */
interface Digits extends Range {
  readonly certain: number;
}

/** Both alphabets, in lines as in mail, which may be indented. */
const BASE64 = /[\w+/-]+(?:[ \t]*\r?\n[ \t]*[\w+/-]+)*={0,2}/g;
const BASE64_GROUP = /[\w+/-]+={0,2}/g;
/** What separates groups of digits. */
const GAP = /^(?: |[ \t]*\r?\n[ \t]*)$/;
/** Longer gaps are not looked at. */
const MAX_GAP = 200;
/** With what separates bytes in dumps, and in lines. */
const HEX = /[0-9a-f](?:(?:[ :-]|[:-]?[ \t]*\r?\n[ \t]*)?[0-9a-f])*/gi;

/**
 * Runs that may be base64. Where the encoding begins is unknown, as what stands before it may belong to the alphabet: there are four ways.
 *
 * Digits may be wrapped over lines, and be in groups of one length that a space separates. Other groups are taken for words. Out of
 * scope: groups of different lengths, quoted lines (`> `) and text that is concatenated in source code.
 *
 * @param shortest Bytes; shorter runs are left out
 */
export function base64Runs(bytes: string, shortest: number): readonly EncodedRun[] {
  const ranges = [...rangesOf(bytes, BASE64), ...groupedRanges(bytes)];
  return runsOf(bytes, ranges, /[\s=]/g, (digits, certain) => {
    if (digits.length * 3 < shortest * 4) return [];
    return [0, 1, 2, 3].map((offset) => ({
      bytes: Buffer.from(digits.slice(offset), "base64").toString("latin1"),
      wordFrom: Math.floor(((certain - offset) * 3) / 4),
    }));
  });
}

/**
 * Runs that may be hexadecimal: there are two ways to pair the digits. Digits may be wrapped over lines. Out of scope: arrays of bytes as
 * decimal, octal or `0x` numbers, and dumps of fewer bytes than are looked for in a line between offsets.
 */
export function hexRuns(bytes: string, shortest: number): readonly EncodedRun[] {
  return runsOf(bytes, rangesOf(bytes, HEX), /[\s:-]/g, (digits) => {
    if (digits.length < shortest * 2) return [];
    return [0, 1].map((offset) => ({
      bytes: Buffer.from(digits.slice(offset), "hex").toString("latin1"),
      wordFrom: 0,
    }));
  });
}

/** Two or more groups of base64 of the same length, of which the last may be shorter. */
function groupedRanges(bytes: string): readonly Digits[] {
  const groups = rangesOf(bytes, BASE64_GROUP);
  const ranges: Digits[] = [];
  for (let first = 0, next = 1; first < groups.length; first = next, next++) {
    const length = lengthOf(groups[first]!);
    while (continues(bytes, groups, next) && lengthOf(groups[next]!) === length) next++;
    const hasRest = continues(bytes, groups, next) && lengthOf(groups[next]!) < length;
    const last = hasRest ? next : next - 1;
    if (last === first) continue;
    // A single group and a shorter one may be a whole run and the word that follows it.
    const certain = next - first === 1 ? length : 0;
    ranges.push({ start: groups[first]!.start, end: groups[last]!.end, certain });
  }
  return ranges;
}

function continues(bytes: string, groups: readonly Range[], at: number): boolean {
  const group = groups[at];
  const previous = groups[at - 1];
  if (!group || !previous || group.start - previous.end > MAX_GAP) return false;
  return bytes[previous.end - 1] !== "=" && GAP.test(bytes.slice(previous.end, group.start));
}

function lengthOf({ start, end }: Range): number {
  return end - start;
}

function rangesOf(bytes: string, pattern: RegExp): readonly Digits[] {
  return Array.from(bytes.matchAll(pattern), ({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
    certain: 0,
  }));
}

function runsOf(
  bytes: string,
  ranges: readonly Digits[],
  separators: RegExp,
  decode: (digits: string, certain: number) => readonly DecodedBytes[],
): readonly EncodedRun[] {
  return ranges.map(({ start, end, certain }) => ({
    start,
    end,
    decoded: decode(bytes.slice(start, end).replace(separators, ""), certain),
  }));
}
