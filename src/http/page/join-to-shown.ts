import type { Chunk, TextRange } from "../../index.js";
import { type RangedText, slice } from "../ranged-text.js";
import { joinChunks, type StoredText } from "./join-chunks.js";

type Passage = Pick<Chunk, "text" | "range">;

interface Part {
  readonly chunks: readonly Passage[];
  readonly window: TextRange;
  /** The last chunk of a text that is shown before the window. */
  readonly previous: Passage | null;
  /** The first chunk of a text that is shown after the window. */
  readonly next: Passage | null;
}

/** A text in Markdown that continues one that is shown. */
export interface ContinuingText extends RangedText {
  /**
   * The characters of the shown text that are left out where the texts meet: what is repeated there to read a part of a
   * table, a list or a code block alone.
   */
  readonly repeated: number;
}

/** Joins chunks to a text in Markdown as {@link joinChunks} does, so that it continues a text that is shown. */
export function joinToShown({ chunks, window, previous, next }: Part, stored: StoredText, marked: TextRange) {
  if (previous) return joinAfter(previous, chunks, window, stored, marked);
  if (next) return joinBefore(chunks, next, window, stored, marked);
  return { ...joinChunks(chunks, stored, window, marked), repeated: 0 };
}

/** What the chunks add to a text that ends with `previous`. */
function joinAfter(
  previous: Passage,
  chunks: readonly Passage[],
  window: TextRange,
  stored: StoredText,
  marked: TextRange,
): ContinuingText {
  const { start } = previous.range;
  const shown = joinChunks([previous], stored, { start, end: window.start }, marked).text;
  const whole = joinChunks([previous, ...chunks], stored, { start, end: window.end }, marked);
  let same = 0;
  while (same < shown.length && shown[same] === whole.text[same]) same++;
  return { ...slice(whole, same, whole.text.length), repeated: shown.length - same };
}

/** What the chunks add to a text that begins with `next`. */
function joinBefore(
  chunks: readonly Passage[],
  next: Passage,
  window: TextRange,
  stored: StoredText,
  marked: TextRange,
): ContinuingText {
  const { start, end } = next.range;
  const shown = joinChunks([next], stored, { start, end }, marked).text;
  const whole = joinChunks([...chunks, next], stored, { start: window.start, end }, marked);
  const [shownLength, length] = [shown.length, whole.text.length];
  let same = 0;
  while (same < shownLength && shown[shownLength - 1 - same] === whole.text[length - 1 - same]) same++;
  return { ...slice(whole, 0, length - same), repeated: shownLength - same };
}
