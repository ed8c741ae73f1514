import { type FormatRun, lastStartIndex } from "./formatting.js";
import type { Piece } from "./pieces.js";

/** Codes of the properties of deleted and of hidden characters. */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
/**
 * Ends of paragraphs and cells, and field characters. They are kept even in hidden text because they define the
 * structure.
 */
const STRUCTURAL_CHARACTERS = new Set(["\r", "\x07", "\f", "\x13", "\x14", "\x15"]);

/**
 * A document's text, in which hidden characters are replaced by `\0`, and the offsets of its characters in the file.
 */
export class DocText {
  readonly text: string;
  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[], characterRuns: readonly FormatRun[]) {
    const hiddenRuns = characterRuns.filter(({ properties }) =>
      properties.some(({ code, operand }) => (code === DELETED || code === HIDDEN) && operand === 1),
    );
    this.#pieces = pieces;
    this.text = pieces.map((piece) => visibleText(piece, hiddenRuns)).join("");
  }

  /** Returns the offset in the file of the character at a position, or -1 if the document has no pieces. */
  offsetOf(position: number): number {
    const piece = this.#pieces[lastStartIndex(this.#pieces, position)];
    return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.bytesPerCharacter;
  }
}

function visibleText(piece: Piece, hiddenRuns: readonly FormatRun[]): string {
  const { offset, bytesPerCharacter, text } = piece;
  const end = offset + text.length * bytesPerCharacter;
  let visible = "";
  let at = 0;
  for (let i = firstEndingAfter(hiddenRuns, offset); i < hiddenRuns.length && hiddenRuns[i]!.start < end; i++) {
    const from = Math.max(at, Math.floor((hiddenRuns[i]!.start - offset) / bytesPerCharacter));
    const to = Math.min(text.length, Math.ceil((hiddenRuns[i]!.end - offset) / bytesPerCharacter));
    if (to <= from) continue;
    visible += text.slice(at, from) + maskHidden(text.slice(from, to));
    at = to;
  }
  return visible + text.slice(at);
}

function maskHidden(text: string): string {
  return Array.from({ length: text.length }, (_, i) => (STRUCTURAL_CHARACTERS.has(text[i]!) ? text[i]! : "\0")).join(
    "",
  );
}

/** Returns the index of the first run that ends after an offset. The runs must be in ascending order. */
function firstEndingAfter(runs: readonly FormatRun[], offset: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.end <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
