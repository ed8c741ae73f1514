import type { Range } from "./secret-finder.js";

/** A part of a text that may be encoded bytes, with each way to decode it: one byte a character. */
export interface EncodedRun extends Range {
  readonly decoded: readonly string[];
}

/** Both alphabets, as mail wraps it too. */
const BASE64 = /[\w+/-]+(?:\r?\n[\w+/-]+)*={0,2}/g;
/** With what separates bytes in dumps. */
const HEX = /[0-9a-f](?:[ :-]?[0-9a-f])*/gi;

/**
 * Runs that may be base64. Where the encoding begins is unknown, as what stands before it may belong to the alphabet: there are four ways.
 *
 * @param shortest Bytes; shorter runs are left out
 */
export function base64Runs(bytes: string, shortest: number): readonly EncodedRun[] {
  return runsOf(bytes, BASE64, /[\r\n=]/g, (digits) => {
    if (digits.length * 3 < shortest * 4) return [];
    return [0, 1, 2, 3].map((offset) => Buffer.from(digits.slice(offset), "base64").toString("latin1"));
  });
}

/** Runs that may be hexadecimal: there are two ways to pair the digits. */
export function hexRuns(bytes: string, shortest: number): readonly EncodedRun[] {
  return runsOf(bytes, HEX, /[ :-]/g, (digits) => {
    if (digits.length < shortest * 2) return [];
    return [0, 1].map((offset) => Buffer.from(digits.slice(offset), "hex").toString("latin1"));
  });
}

function runsOf(
  bytes: string,
  pattern: RegExp,
  separators: RegExp,
  decode: (digits: string) => readonly string[],
): readonly EncodedRun[] {
  return Array.from(bytes.matchAll(pattern), ({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
    decoded: decode(run.replace(separators, "")),
  }));
}
