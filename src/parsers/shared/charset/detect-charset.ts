import chardet from "chardet";
import { decodeAs, knownCharset } from "./decode-text.js";
import { doubleByteMatches } from "./double-byte.js";
import { letterFrequency, withoutSymbols } from "./letter-frequency.js";

const SAMPLE_BYTES = 32 * 1024;
/** Minimum share of common characters in a double-byte charset; text in another charset reaches a third of it. */
const MIN_DOUBLE_BYTE_SHARE = 0.85;
/** Tried even if the detector doesn't suggest them, since short texts give the detector little evidence. */
const ALWAYS_TRIED_CHARSETS = [
  ...["windows-1252", "windows-1251", "windows-1250", "iso-8859-2", "koi8-r", "ibm866"],
  ...["windows-1253", "windows-1255", "windows-1256"],
];
/** Points that common charsets get in addition to the detector's confidence. */
const PRIOR_POINTS: Readonly<Record<string, number>> = { "windows-1252": 10, "windows-1251": 8 };
/** Points of a text in which all letters beyond ASCII are the most frequent ones. */
const LETTER_POINTS = 150;
/** A text with fewer bytes beyond ASCII is never in a double-byte charset; one with less evidence may be by chance. */
const DOUBLE_BYTE_BYTES = { min: 2, evidence: 32 } as const;
/** The frequency of letters from which on a short text is taken for one in a single-byte charset. */
const MIN_WORD_FREQUENCY = 0.65;

/**
 * Detects the charset of bytes that are not UTF-8, by a statistical detector and by how much the decoded text looks
 * like words; returns windows-1252 if no other charset is more likely.
 */
export async function detectCharset(bytes: Uint8Array): Promise<string> {
  const sample = sampleOf(bytes);
  const matches = chardet.analyse(sample);
  const [best] = doubleByteMatches(sample);
  const isDoubleByte = best !== undefined && best.share >= MIN_DOUBLE_BYTE_SHARE;
  const byteCount = sample.filter((byte) => byte > 0x7f).length;
  if (isDoubleByte && byteCount >= DOUBLE_BYTE_BYTES.evidence) return best.charset;
  const scores = new Map<string, number>();
  for (const { name, confidence } of matches) {
    const known = knownCharset(name);
    // windows-1255 contains all of ISO 8859-8 at the same positions.
    const charset = known === "iso-8859-8" ? "windows-1255" : known;
    const isPossible = byteCount >= DOUBLE_BYTE_BYTES.min || !/^(?:shift_jis|euc|gb|big5)/.test(charset ?? "");
    if (charset !== null && charset !== "utf-8" && isPossible)
      scores.set(charset, Math.max(confidence, scores.get(charset) ?? 0));
  }
  for (const charset of ALWAYS_TRIED_CHARSETS)
    scores.set(charset, (scores.get(charset) ?? 0) + (PRIOR_POINTS[charset] ?? 0));
  let winner = { charset: "windows-1252", points: Number.NEGATIVE_INFINITY, frequency: 0 };
  for (const [charset, confidence] of scores) {
    const { text } = decodeAs(sample, charset);
    const frequency = letterFrequency(text);
    const points = confidence - 300 * oddShare(text) + LETTER_POINTS * frequency;
    if (points > winner.points) winner = { charset, points, frequency };
  }
  if (isDoubleByte && byteCount >= DOUBLE_BYTE_BYTES.min && winner.frequency < MIN_WORD_FREQUENCY) return best.charset;
  const isSame = decodeAs(sample, winner.charset).text === decodeAs(sample, "windows-1252").text;
  return isSame ? "windows-1252" : winner.charset;
}

/** Matches what words don't have: replacement characters, controls, capitals after small letters, adjacent symbols. */
const ODD_PATTERN = new RegExp(
  String.raw`[\ufffd\x80-\x9f\ue000-\uf8ff]|\p{Ll}\p{Lu}|\p{L}(?:[^\p{L}\p{Nd}\p{M}\p{P}\s\0-\x7f]|[«»¿¡](?=\p{L}))` +
    String.raw`|[^\p{L}\p{Nd}\p{M}\p{P}\s\0-\x7f](?=\p{L})`,
  "gu",
);

/** Matches words of no language: words of mixed scripts, or of three or more Latin letters, none of them in ASCII. */
const ODD_WORD_PATTERN = new RegExp(
  String.raw`^(?=.*\p{Script=Latin}).*[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]` +
    String.raw`|^(?:(?![\0-\x7f])\p{Script=Latin}){3,}$`,
  "u",
);

/** Returns the share of characters beyond ASCII that cannot be part of words, from 0 to 1. */
function oddShare(content: string): number {
  const { text } = withoutSymbols(content);
  const symbols = text.match(ODD_PATTERN) ?? [];
  const words = (text.match(/[\p{L}\p{M}]{1,64}/gu) ?? []).filter((word) => ODD_WORD_PATTERN.test(word));
  const oddCount = countNonAscii(symbols.join("")) + countNonAscii(words.join(""));
  return Math.min(1, oddCount / Math.max(1, countNonAscii(content)));
}

function countNonAscii(text: string): number {
  return text.match(/[^\0-\x7f]/gu)?.length ?? 0;
}

/** Returns a sample around the first byte beyond ASCII, without markup, whose names are English in any language. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const start = Math.max(0, bytes.findIndex((byte) => byte > 0x7f) - 1024);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(SAMPLE_BYTES, bytes.length - start));
  const text = buffer.toString("latin1").replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>|<[^<>]{1,2000}>/gi, " ");
  return Buffer.from(text, "latin1");
}
