import { classifyCodeUnit, SEPARATOR, SPACED } from "./characters.js";

/** Hears where a run of characters of a text begins and ends. */
type HearRun = (start: number, end: number) => void;

const UNKNOWN = 0xff;

/** Finds the words of texts, in any script. */
export class WordScanner {
  /** By code unit: segmenting a text costs one look-up a character. Filled as characters turn up, since most never do. */
  readonly #classes = new Uint8Array(0x1_0000).fill(UNKNOWN);

  /** Calls `word` for each word, and `characters` for each run of a script that is written without spaces between words. */
  scan(text: string, word: HearRun, characters: HearRun): void {
    for (let start = 0; start < text.length; ) {
      const kind = this.#classOf(text.charCodeAt(start));
      let end = start + 1;
      while (end < text.length && this.#classOf(text.charCodeAt(end)) === kind) end++;
      if (kind === SPACED) word(start, end);
      else if (kind !== SEPARATOR) characters(start, end);
      start = end;
    }
  }

  #classOf(unit: number): number {
    if (this.#classes[unit] === UNKNOWN) this.#classes[unit] = classifyCodeUnit(unit);
    return this.#classes[unit]!;
  }
}
