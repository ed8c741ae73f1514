import { lastStartIndex, type Stretch } from "./formatting.js";
import type { Piece } from "./pieces.js";

const DELETED = 0x0800;
const HIDDEN = 0x083c;
/** Ends of paragraphs and cells, and field marks, which are kept even in hidden text: the structure depends on them. */
const STRUCTURAL = new Set(["\r", "\x07", "\f", "\x13", "\x14", "\x15"]);

/** A document's characters by position, with hidden ones replaced by zeros, and their offsets in the file. */
export class DocText {
  readonly text: string;
  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[], characters: readonly Stretch[]) {
    const unseen = characters.filter(({ properties }) =>
      properties.some(({ code, operand }) => (code === DELETED || code === HIDDEN) && operand === 1),
    );
    this.#pieces = pieces;
    this.text = pieces.map((piece) => shownText(piece, unseen)).join("");
  }

  /** The offset of a character in the file; -1 if no piece contains it. */
  placeOf(position: number): number {
    const piece = this.#pieces[lastStartIndex(this.#pieces, position)];
    return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.bytesPerCharacter;
  }
}

function shownText(piece: Piece, unseen: readonly Stretch[]): string {
  const { offset, bytesPerCharacter, text } = piece;
  const end = offset + text.length * bytesPerCharacter;
  let shown = "";
  let at = 0;
  for (let i = firstAfter(unseen, offset); i < unseen.length && unseen[i]!.start < end; i++) {
    const from = Math.max(at, Math.floor((unseen[i]!.start - offset) / bytesPerCharacter));
    const to = Math.min(text.length, Math.ceil((unseen[i]!.end - offset) / bytesPerCharacter));
    if (to <= from) continue;
    shown += text.slice(at, from) + blanked(text.slice(from, to));
    at = to;
  }
  return shown + text.slice(at);
}

function blanked(text: string): string {
  return Array.from({ length: text.length }, (_, i) => (STRUCTURAL.has(text[i]!) ? text[i]! : "\0")).join("");
}

/** The first range that ends after an offset. */
function firstAfter(stretches: readonly Stretch[], place: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stretches[middle]!.end <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
