import type { TextRange } from "../../index.js";
import { endsWithFence } from "../../util/code-fence.js";

/** A marker in the text of a message. */
interface Marker {
  readonly number: number;
  /** The number of characters of the answer's text before the marker. */
  readonly offset: number;
  /** The number of inserted characters: the separator and the marker. */
  readonly length: number;
  /** The range of `[n]` in the message. */
  readonly range: TextRange;
}

/** Inserts citation markers into the text of an answer while it streams, and moves ranges accordingly. */
export class MarkedText {
  readonly #markers: Marker[] = [];
  /** The number of characters of the answer's text that were sent. */
  #sentLength = 0;
  /** The number of characters that were inserted. */
  #insertedLength = 0;
  /** White space, and a table row's closing pipe, at the end of the text so far. A marker is inserted before them. */
  #held = "";
  /** The last line that was sent. */
  #line = "";

  /** Adds the next part of the answer's text. Returns the text to send. */
  add(text: string): string {
    const pending = this.#held + text;
    const ended = pending.trimEnd();
    return this.#send(pending, ended.length - closingPipeLength(lastLine(this.#line + ended)));
  }

  /** Ends the answer's text. Returns the rest of the text to send. */
  end(): string {
    return this.#send(this.#held, this.#held.trimEnd().length);
  }

  #send(pending: string, length: number): string {
    const delta = pending.slice(0, length);
    this.#held = pending.slice(length);
    this.#sentLength += length;
    this.#line = lastLine(this.#line + delta);
    return delta;
  }

  /**
   * Inserts a marker after the text so far, unless the same marker is already there.
   * @param range The range of the citation in the answer's text.
   */
  cite(number: number, range: TextRange): { delta: string; answerRange: TextRange; markerRange: TextRange } {
    const existing = this.#markers.findLast((marker) => marker.offset === this.#sentLength && marker.number === number);
    const separator = endsWithFence(this.#line) ? "\n\n" : " ";
    const delta = existing ? "" : `${separator}[${number}]`;
    const marker = existing ?? this.#insert(number, delta, separator.length);
    return { delta, answerRange: this.#toMessageRange(range), markerRange: marker.range };
  }

  #insert(number: number, delta: string, separatorLength: number): Marker {
    const start = this.#sentLength + this.#insertedLength;
    const range = { start: start + separatorLength, end: start + delta.length };
    const marker = { number, offset: this.#sentLength, length: delta.length, range };
    this.#markers.push(marker);
    this.#insertedLength += delta.length;
    this.#line = lastLine(this.#line + delta);
    return marker;
  }

  /**
   * Converts a range of the answer's text to a range of the message. Leaves out white space at its end that has not been
   * sent yet.
   */
  #toMessageRange({ start, end }: TextRange): TextRange {
    const sentEnd = Math.min(end, this.#sentLength);
    return {
      start: Math.min(start, sentEnd) + this.#insertedLengthBefore((offset) => offset <= start),
      end: sentEnd + this.#insertedLengthBefore((offset) => offset < sentEnd),
    };
  }

  #insertedLengthBefore(isBefore: (offset: number) => boolean): number {
    return this.#markers.reduce((sum, { offset, length }) => sum + (isBefore(offset) ? length : 0), 0);
  }
}

/**
 * Returns the length of the closing pipe of a table row, with the white space before it. A marker after the pipe would
 * be in a further cell, which isn't shown.
 */
function closingPipeLength(line: string): number {
  const isRow = line.endsWith("|") && line.trimStart().startsWith("|");
  return isRow ? line.length - line.slice(0, -1).trimEnd().length : 0;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
