import type { TextRange } from "../../index.js";
import { endsWithFence } from "../../util/code-fence.js";

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

/** Inserts citation markers into the text of an answer while it streams, and moves ranges accordingly. */
export class MarkedText {
  readonly #markers: Marker[] = [];
  /** Characters of the answer's text that were sent. */
  #sent = 0;
  /** Characters that were inserted. */
  #inserted = 0;
  /** White space, and the mark that ends a row of a table, at the end of the text so far. A marker belongs before it. */
  #held = "";
  /** The last line that was sent. */
  #line = "";

  /** Takes the next part of the answer's text, and returns what is to be sent. */
  add(text: string): string {
    const pending = this.#held + text;
    const ended = pending.trimEnd();
    return this.#send(pending, ended.length - rowEndLength(lastLine(this.#line + ended)));
  }

  /** Returns what is still to be sent at the end of the text. */
  end(): string {
    return this.#send(this.#held, this.#held.trimEnd().length);
  }

  #send(pending: string, length: number): string {
    const delta = pending.slice(0, length);
    this.#held = pending.slice(length);
    this.#sent += length;
    this.#line = lastLine(this.#line + delta);
    return delta;
  }

  /**
   * Inserts a marker after the text so far, unless there is the same one already.
   * @param range In the answer's text.
   */
  cite(number: number, range: TextRange): { delta: string; answerRange: TextRange; markerRange: TextRange } {
    const last = this.#markers.findLast((marker) => marker.at === this.#sent && marker.number === number);
    const separator = endsWithFence(this.#line) ? "\n\n" : " ";
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

/** The length of the mark that ends a row of a table: after it, a marker would be a further cell, which isn't shown. */
function rowEndLength(line: string): number {
  const isRow = line.endsWith("|") && line.trimStart().startsWith("|");
  return isRow ? line.length - line.slice(0, -1).trimEnd().length : 0;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
