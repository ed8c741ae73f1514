import type { Cue } from "./read.js";

/** A longer pause begins a new paragraph. */
const PAUSE_SECONDS = 2;
/** From this length on, a paragraph ends with the next sentence, so that its timestamp stays close to its text. */
const FULL_CHARS = 500;
const MAX_CHARS = 1_000;

export interface CueParagraph extends Cue {
  /** The start of each cue in the text, and its time in seconds. */
  readonly times: readonly (readonly [offset: number, seconds: number])[];
}

/** Joins cues into paragraphs of one speaker without a pause, of at most 1,000 characters if no cue is longer. */
export function cueParagraphs(cues: readonly Cue[]): CueParagraph[] {
  const paragraphs: CueParagraph[] = [];
  let texts: string[] = [];
  let times: (readonly [number, number])[] = [];
  let length = 0;
  for (const cue of cues) {
    const last = paragraphs.at(-1);
    const isFull = length >= FULL_CHARS && /[.!?…。！？]["'”’)]?$/.test(texts.at(-1) ?? "");
    const isContinuation =
      last !== undefined &&
      last.speaker === cue.speaker &&
      cue.startSeconds - last.endSeconds <= PAUSE_SECONDS &&
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
