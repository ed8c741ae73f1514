/** Reads a text line by line, for formats whose blocks consist of whole lines. */
export class LineReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** Returns the line `ahead` lines after the next line; empty past the end. */
  peek(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? "";
  }

  /** Consumes the next line; empty past the end. */
  next(): string {
    return this.#lines[this.#at++] ?? "";
  }

  /** Consumes lines while they pass the test. */
  takeWhile(test: (line: string) => boolean): string[] {
    const start = this.#at;
    while (!this.isDone && test(this.peek())) this.#at++;
    return this.#lines.slice(start, this.#at);
  }

  /** Consumes lines through the line that ends a block, or all lines if none does. Doesn't return the end line. */
  takeUntil(isEnd: (line: string) => boolean): string[] {
    const lines = this.takeWhile((line) => !isEnd(line));
    this.#at++;
    return lines;
  }

  skipBlank(): void {
    while (!this.isDone && this.peek().trim() === "") this.#at++;
  }

  /** Consumes lines indented by at least `width` characters, with blank lines between them; removes the indent. */
  takeIndented(width: number): string[] {
    const lines = this.takeWhile((line) => line.trim() === "" || indentOf(line) >= width);
    while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
    return lines.map((line) => line.slice(width));
  }
}

/** Returns the indent of a line in characters. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Removes the indent that all lines share. */
export function dedent(lines: readonly string[]): string[] {
  let sharedIndent = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== "") sharedIndent = Math.min(sharedIndent, indentOf(line));
  return Number.isFinite(sharedIndent) ? lines.map((line) => line.slice(sharedIndent)) : [...lines];
}
