import type { TextRange } from "../../index.js";

/** A marker in the text of a message. */
interface Marker {
  readonly number: number;
  /** The number of characters of the answer's text before it. */
  readonly at: number;
  /** The length of what is inserted: the separator and the marker. */
  readonly length: number;
  /** The range of `[n]` in the message. */
  readonly range: TextRange;
}

/** A marker after the end of a code block on the same line would keep the block open. */
const CODE_FENCE = /^ {0,3}(?:`{3,}|~{3,})$/;

/** Inserts citation markers into the text of an answer while it streams, and moves ranges accordingly. */
export class MarkedText {
  readonly #markers: Marker[] = [];
  /** Characters of the answer's text that were sent. */
  #sent = 0;
  /** Characters that were inserted. */
  #inserted = 0;
  /** White space at the end of the text so far. A marker belongs before it. */
  #held = "";
  /** The last line that was sent. */
  #line = "";

  /** Takes the next part of the answer's text, and returns what is to be sent. */
  add(text: string): string {
    const pending = this.#held + text;
    const delta = pending.trimEnd();
    this.#held = pending.slice(delta.length);
    this.#sent += delta.length;
    this.#line = lastLine(this.#line + delta);
    return delta;
  }

  /**
   * Inserts a marker after the text so far, unless there is the same one already.
   * @param range In the answer's text.
   */
  cite(number: number, range: TextRange): { delta: string; answerRange: TextRange; markerRange: TextRange } {
    const last = this.#markers.findLast((marker) => marker.at === this.#sent && marker.number === number);
    const separator = CODE_FENCE.test(this.#line) ? "\n\n" : " ";
    const delta = last ? "" : `${separator}[${number}]`;
    const marker = last ?? this.#insert(number, delta, separator.length);
    return { delta, answerRange: this.#moved(range), markerRange: marker.range };
  }

  #insert(number: number, delta: string, separatorLength: number): Marker {
    const start = this.#sent + this.#inserted;
    const range = { start: start + separatorLength, end: start + delta.length };
    const marker = { number, at: this.#sent, length: delta.length, range };
    this.#markers.push(marker);
    this.#inserted += delta.length;
    this.#line = lastLine(this.#line + delta);
    return marker;
  }

  /** Without the white space at its end, which may not have been sent yet. */
  #moved({ start, end }: TextRange): TextRange {
    const last = Math.min(end, this.#sent);
    return {
      start: Math.min(start, last) + this.#insertedBefore((at) => at <= start),
      end: last + this.#insertedBefore((at) => at < last),
    };
  }

  #insertedBefore(isBefore: (at: number) => boolean): number {
    return this.#markers.reduce((sum, { at, length }) => sum + (isBefore(at) ? length : 0), 0);
  }
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
