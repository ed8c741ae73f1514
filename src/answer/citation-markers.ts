/** A part of a streamed answer. */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  /** A citation marker: the numbers in it, in order, each once. */
  | { readonly type: "marker"; readonly numbers: readonly number[] };

/** The maximum length of a marker, and thus of the text that is held back. */
const MAX_MARKER_LENGTH = 48;
/** The maximum numbers in a range. A longer range, such as `[1-99]`, counts as its two ends. */
const MAX_RANGE_LENGTH = 20;

const NUMBER_PATTERN = String.raw`(?:(?:passages?|sources?|documents?)\s*)?\^?\d{1,3}`;
const SEPARATOR_PATTERN = String.raw`(?:\s*[,;&–-]\s*|\s+and\s+|\s+)`;
/** Matches the contents of `[1]`, `[1, 2]`, `[1-3]`, `[^1]` and `[Passage 1]`. */
const CONTENTS_PATTERN = new RegExp(
  String.raw`^\s*${NUMBER_PATTERN}(?:${SEPARATOR_PATTERN}${NUMBER_PATTERN})*\s*$`,
  "i",
);
/** Matches the contents of `【1】` and `【1†source】`, which some hosted models write. */
const WIDE_CONTENTS_PATTERN = /^\s*\d{1,3}(?:†[^【】]*)?\s*$/;
const CLOSING: Readonly<Record<string, string>> = { "[": "]", "【": "】" };

/** Matches characters that would join the word before a marker if the spaces were removed with the marker. */
const JOINABLE_PATTERN = /[\p{L}\p{N}`\uD800-\uDBFF]/u;
/** Matches text up to the next character that could begin a marker, code or a line. */
const PLAIN_PATTERN = /[^[【`~\\\s]+/y;
const SPACES_PATTERN = /[^\S\r\n]+/y;
const RUN_PATTERN = /`+|~+/y;
const CODE_TEXT_PATTERN = /[^`~\n]+|\n/y;
/** Matches what may precede a fence on its line: indentation and the markers of block quotes and lists. */
const FENCE_PREFIX_PATTERN = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*$/;

/** A run of backticks or tildes. */
interface Run {
  readonly character: string;
  length: number;
  /** Whether nothing precedes the run on its line, except what may precede a fence. */
  readonly isFirstOnLine: boolean;
}

/**
 * Separates citation markers from the text of a streamed Markdown answer. Removes each marker with the spaces before
 * it, unless that would join two words; at the start of a line, with the space after it instead. Brackets in code,
 * links (`[1](…)`) and escaped brackets stay in the text. Holds back at most {@link MAX_MARKER_LENGTH} spaces and as
 * many characters of a marker.
 */
export class CitationMarkerParser {
  /** The text that hasn't been parsed yet. */
  #rest = "";
  /** The beginning of the current line, without markers, at most {@link MAX_MARKER_LENGTH} characters. */
  #line = "";
  #isBlankLine = true;
  /** The run at the end of the text so far. */
  #run: Run | null = null;
  /** The run that opened the current code span or block; `null` outside code. */
  #openingRun: Run | null = null;
  #isFence = false;
  #isFirstLineOfCode = false;
  /** Whether to drop the next space, which follows a marker at the start of a line. */
  #skipsSpace = false;
  /** The spaces before the markers that were just read. */
  #spacesBefore = "";
  #parts: AnswerPart[] = [];

  /** Adds a chunk and returns the parts that are now complete. */
  push(chunk: string): readonly AnswerPart[] {
    this.#rest += chunk;
    return this.#parse(false);
  }

  /** Ends the answer and returns the parts that were held back. */
  end(): readonly AnswerPart[] {
    return this.#parse(true);
  }

  #parse(isEnd: boolean): readonly AnswerPart[] {
    this.#parts = [];
    let at = 0;
    while (at < this.#rest.length) {
      if (this.#run && this.#rest[at] !== this.#run.character) this.#endRun(this.#run);
      const length = this.#openingRun || this.#run ? this.#readCode(at) : this.#readText(at, isEnd);
      if (length === 0) break;
      at += length;
    }
    this.#rest = this.#rest.slice(at);
    return this.#parts;
  }

  /** Reads one token. Returns its length, or 0 if the token may continue in the next chunk. */
  #readText(at: number, isEnd: boolean): number {
    const rest = this.#rest;
    const spaces = match(SPACES_PATTERN, rest, at);
    const kept = this.#skipsSpace ? spaces.slice(1) : spaces;
    const excess = spaces.length - MAX_MARKER_LENGTH;
    if (excess > 0) {
      this.#emit(kept.slice(0, kept.length - MAX_MARKER_LENGTH));
      this.#skipsSpace = false;
      this.#spacesBefore = "";
      return excess;
    }
    const next = at + spaces.length;
    if (next >= rest.length && !isEnd) return 0;
    const character = rest[next];
    if (character === "[" || character === "【") {
      const marker = this.#readMarker(next, isEnd);
      if (marker === "incomplete") return 0;
      if (marker) {
        if (this.#isBlankLine) this.#emit(kept);
        else this.#spacesBefore = spaces || this.#spacesBefore;
        this.#skipsSpace = this.#isBlankLine;
        this.#parts.push({ type: "marker", numbers: marker.numbers });
        return spaces.length + marker.length;
      }
    }
    this.#skipsSpace = false;
    const spacesBefore = this.#spacesBefore;
    this.#spacesBefore = "";
    if (spaces !== "") {
      this.#emit(kept);
      return spaces.length;
    }
    if (character !== undefined && JOINABLE_PATTERN.test(character)) this.#emit(spacesBefore);
    if (character === "\\") {
      // An escaped character starts neither a marker nor code.
      if (next + 1 >= rest.length && !isEnd) return 0;
      return this.#emit(rest.slice(at, at + 2));
    }
    if (character === "`" || character === "~") return this.#readRun(at);
    return this.#emit(match(PLAIN_PATTERN, rest, at) || rest[at]!);
  }

  #readMarker(
    at: number,
    isEnd: boolean,
  ): { readonly length: number; readonly numbers: readonly number[] } | "incomplete" | null {
    const opening = this.#rest[at]!;
    const held = this.#rest.slice(at + 1, at + MAX_MARKER_LENGTH);
    const stop = held.search(/[[\]【】\n]/);
    if (stop < 0) return isEnd || held.length === MAX_MARKER_LENGTH - 1 ? null : "incomplete";
    const contents = held.slice(0, stop);
    if (held[stop] !== CLOSING[opening] || !(opening === "[" ? CONTENTS_PATTERN : WIDE_CONTENTS_PATTERN).test(contents))
      return null;
    const length = stop + 2;
    const following = this.#rest[at + length];
    if (following === undefined && !isEnd) return "incomplete";
    return following === "(" ? null : { length, numbers: numbersIn(contents) };
  }

  #readCode(at: number): number {
    const text = match(CODE_TEXT_PATTERN, this.#rest, at);
    if (text === "") return this.#readRun(at);
    if (text === "\n") {
      if (!this.#isFence && this.#isBlankLine) this.#openingRun = null;
      this.#isFirstLineOfCode = false;
    }
    return this.#emit(text);
  }

  /** Reads a part of a run of backticks or tildes. The run's length is known once another character follows. */
  #readRun(at: number): number {
    const characters = match(RUN_PATTERN, this.#rest, at);
    this.#run ??= { character: characters[0]!, length: 0, isFirstOnLine: this.#isFencePrefix() };
    this.#run.length += characters.length;
    return this.#emit(characters);
  }

  /** Opens or closes code. A run that is at least as long closes a fence; a run of equal length closes a code span. */
  #endRun(run: Run): void {
    this.#run = null;
    const start = this.#openingRun;
    if (!start) {
      this.#isFence = run.length >= 3 && run.isFirstOnLine;
      this.#isFirstLineOfCode = true;
      if (this.#isFence || run.character === "`") this.#openingRun = run;
      return;
    }
    // Backticks that open and close code on one line are a code span, however many they are.
    const isSpan = !this.#isFence || (this.#isFirstLineOfCode && run.character === "`");
    const isClosing = isSpan ? run.length === start.length : run.length >= start.length && run.isFirstOnLine;
    if (isClosing && run.character === start.character) this.#openingRun = null;
  }

  #isFencePrefix(): boolean {
    return this.#line.length < MAX_MARKER_LENGTH && FENCE_PREFIX_PATTERN.test(this.#line);
  }

  #emit(text: string): number {
    const isLineEnd = text.endsWith("\n");
    this.#line = isLineEnd ? "" : (this.#line + text.slice(0, MAX_MARKER_LENGTH)).slice(0, MAX_MARKER_LENGTH);
    this.#isBlankLine = isLineEnd || (this.#isBlankLine && text.trim() === "");
    const last = this.#parts.at(-1);
    if (last?.type === "text") this.#parts[this.#parts.length - 1] = { type: "text", text: last.text + text };
    else if (text !== "") this.#parts.push({ type: "text", text });
    return text.length;
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function numbersIn(contents: string): readonly number[] {
  const [cited = ""] = contents.split(/[:†]/);
  const numbers: number[] = [];
  for (const [, first, last] of cited.matchAll(/(\d+)(?:\s*[–-]\s*\D*(\d+))?/g)) {
    const [from, to] = [Number(first), Number(last ?? first)];
    if (to >= from && to - from < MAX_RANGE_LENGTH)
      for (let number = from; number <= to; number++) numbers.push(number);
    else numbers.push(from, to);
  }
  return [...new Set(numbers)];
}
