import type { FileInformation } from "./file-information.js";

interface Note {
  /** The reference in the text, such as `[1]`; empty for a comment. */
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
  readonly #textBetween: (start: number, end: number) => string;

  constructor(
    info: FileInformation,
    readStructure: (index: number) => Uint8Array,
    textBetween: (start: number, end: number) => string,
  ) {
    this.#textBetween = textBetween;
    const { lengths } = info;
    const commentsStart = lengths.body + lengths.footnotes + lengths.headers;
    const add = (kind: typeof FOOTNOTES | typeof COMMENTS | typeof ENDNOTES, textStart: number): void => {
      const texts = readPositions(readStructure(kind.texts), 0);
      for (const [index, position] of readPositions(readStructure(kind.references), kind.referenceBytes).entries()) {
        const [start, end] = [texts[index], texts[index + 1]];
        if (start === undefined || end === undefined || end <= start) continue;
        this.#notes.set(position, {
          reference: kind === COMMENTS ? "" : `[${index + 1}]`,
          start: textStart + start,
          end: textStart + end,
        });
      }
    };
    add(FOOTNOTES, lengths.body);
    add(COMMENTS, commentsStart);
    add(ENDNOTES, commentsStart + lengths.comments);
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
