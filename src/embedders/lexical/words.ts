import { classifyCodeUnit, SEPARATOR, SPACED } from "./characters.js";

/** Receives the range of a run of characters. */
type OnRun = (start: number, end: number) => void;

const UNKNOWN = 0xff;

/** Finds the words of texts, in any script. */
export class WordScanner {
  /** Cache of character classes by code unit, filled on demand. */
  readonly #classes = new Uint8Array(0x1_0000).fill(UNKNOWN);

  /** Calls `onWord` for each word, and `onCharacters` for each run of a script without spaces between words. */
  scan(text: string, onWord: OnRun, onCharacters: OnRun): void {
    for (let start = 0; start < text.length; ) {
      const unitClass = this.#classOf(text.charCodeAt(start));
      let end = start + 1;
      while (end < text.length && this.#classOf(text.charCodeAt(end)) === unitClass) end++;
      if (unitClass === SPACED) onWord(start, end);
      else if (unitClass !== SEPARATOR) onCharacters(start, end);
      start = end;
    }
  }

  #classOf(unit: number): number {
    if (this.#classes[unit] === UNKNOWN) this.#classes[unit] = classifyCodeUnit(unit);
    return this.#classes[unit]!;
  }
}
