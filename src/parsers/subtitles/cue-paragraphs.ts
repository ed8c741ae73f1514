import type { Cue } from "./read.js";

/** The maximum pause within a paragraph. A longer pause begins a new paragraph. */
const MAX_PAUSE_SECONDS = 2;
/** A paragraph of at least this length ends with its next sentence, so that its timestamp stays close to its text. */
const FULL_PARAGRAPH_CHARS = 500;
const MAX_CHARS = 1_000;

/** The joined cues of one speaker. */
export interface CueParagraph extends Cue {
  /** The offset of each cue in the text, and its start time. */
  readonly times: readonly (readonly [offset: number, seconds: number])[];
}

/**
 * Joins cues of one speaker without long pauses into paragraphs. Paragraphs have at most 1,000 characters, except those
 * of a single longer cue.
 */
export function joinCues(cues: readonly Cue[]): CueParagraph[] {
  const paragraphs: CueParagraph[] = [];
  let texts: string[] = [];
  let times: (readonly [number, number])[] = [];
  let length = 0;
  for (const cue of cues) {
    const last = paragraphs.at(-1);
    const isFull = length >= FULL_PARAGRAPH_CHARS && /[.!?…。！？]["'”’)]?$/.test(texts.at(-1) ?? "");
    const isContinuation =
      last !== undefined &&
      last.speaker === cue.speaker &&
      cue.startSeconds - last.endSeconds <= MAX_PAUSE_SECONDS &&
      !isFull &&
      length + cue.text.length <= MAX_CHARS &&
      !/^(?:[-–—]\s|>>)/.test(cue.text);
    if (!isContinuation) {
      texts = [];
      times = [];
      length = 0;
    } else paragraphs.pop();
    times.push([length, cue.startSeconds]);
    texts.push(cue.text);
    length += cue.text.length + 1;
    const startSeconds = isContinuation ? last.startSeconds : cue.startSeconds;
    paragraphs.push({ ...cue, startSeconds, text: texts.join(" "), times });
  }
  return paragraphs;
}
