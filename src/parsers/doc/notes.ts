import { formatCount } from "../shared/ooxml/format-count.js";
import type { FileInformation } from "./file-information.js";

interface Note {
  /**
   * The reference in the text, such as `[1]`; empty for a comment, and for a note with a sign that its author chose,
   * which is in both texts.
   */
  readonly reference: string;
  /** The position of the first character of the note. */
  readonly start: number;
  /** The position after the last character of the note. */
  readonly end: number;
}

/** Indexes of the structures with the references to notes and with the ranges of their texts. */
const FOOTNOTES = { references: 2, texts: 3, referenceBytes: 2 } as const;
const COMMENTS = { references: 4, texts: 5, referenceBytes: 30 } as const;
const ENDNOTES = { references: 46, texts: 47, referenceBytes: 2 } as const;

/** The footnotes, endnotes and comments of a document, by the position of their reference. */
export class DocNotes {
  readonly #notes = new Map<number, Note>();
  /** The positions of signs that authors chose. */
  readonly #signs: number[] = [];
  readonly #textBetween: (start: number, end: number) => string;

  constructor(
    info: FileInformation,
    readStructure: (index: number) => Uint8Array,
    textBetween: (start: number, end: number) => string,
  ) {
    this.#textBetween = textBetween;
    const { lengths } = info;
    const commentsStart = lengths.body + lengths.footnotes + lengths.headers;
    const add = (
      kind: typeof FOOTNOTES | typeof COMMENTS | typeof ENDNOTES,
      textStart: number,
      numberAs: (count: number) => string,
    ): void => {
      const texts = readPositions(readStructure(kind.texts), 0);
      const references = readStructure(kind.references);
      const positions = readPositions(references, kind.referenceBytes);
      const view = new DataView(references.buffer, references.byteOffset, references.byteLength);
      let count = 0;
      for (const [index, position] of positions.entries()) {
        const isNumbered =
          kind !== COMMENTS && view.getUint16((positions.length + 1) * 4 + index * kind.referenceBytes, true) !== 0;
        if (isNumbered) count++;
        else if (kind !== COMMENTS) this.#signs.push(position);
        const [start, end] = [texts[index], texts[index + 1]];
        if (start === undefined || end === undefined || end <= start) continue;
        this.#notes.set(position, {
          reference: isNumbered ? `[${numberAs(count)}]` : "",
          start: textStart + start,
          end: textStart + end,
        });
      }
    };
    add(FOOTNOTES, lengths.body, String);
    add(COMMENTS, commentsStart, String);
    // Unless a document says otherwise, Word numbers endnotes i, ii, iii, so that they differ from footnotes.
    add(ENDNOTES, commentsStart + lengths.comments, (count) => formatCount(count, "lowerRoman"));
    this.#signs.sort((a, b) => a - b);
  }

  /** Returns the positions in a range at which a sign that the author chose refers to a note, in ascending order. */
  signsBetween(start: number, end: number): readonly number[] {
    const first = lowerBound(this.#signs, start);
    return this.#signs.slice(first, lowerBound(this.#signs, end));
  }

  /**
   * Removes and returns the note whose reference is at a position, or `null` if there is none or it was taken before.
   */
  take(position: number): { readonly reference: string; readonly text: string } | null {
    const note = this.#notes.get(position);
    if (note === undefined) return null;
    this.#notes.delete(position);
    const text = this.#textBetween(note.start, note.end);
    return { reference: note.reference, text: text === "" ? "" : `${note.reference} ${text}`.trim() };
  }

  /** Removes the remaining notes and returns their texts. */
  takeRemaining(): string[] {
    return [...this.#notes.keys()].flatMap((position) => this.take(position)?.text || []);
  }
}

/**
 * Reads the positions at the start of a structure. If `extraBytes` follow for each entry, omits the last position,
 * which only ends the list.
 */
function readPositions(bytes: Uint8Array, extraBytes: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor((bytes.length - 4) / (4 + extraBytes)) + (extraBytes === 0 ? 1 : 0);
  return Array.from({ length: Math.max(0, count) }, (_, index) => view.getUint32(index * 4, true));
}

/** Returns the index of the first of ascending numbers that is not below a limit. */
function lowerBound(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
