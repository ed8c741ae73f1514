/** Lines of a text, read from the top; for formats whose blocks are made of whole lines. */
export class LineReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get done(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** The line `ahead` of the next one; empty past the end. */
  peek(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? "";
  }

  /** Takes the next line. */
  next(): string {
    return this.#lines[this.#at++] ?? "";
  }

  /** Takes lines as long as the test holds. */
  takeWhile(test: (line: string) => boolean): string[] {
    const start = this.#at;
    while (!this.done && test(this.peek())) this.#at++;
    return this.#lines.slice(start, this.#at);
  }

  /** Takes the lines up to one that ends a block, and that one; all that is left where none does. */
  takeUntil(isEnd: (line: string) => boolean): string[] {
    const lines = this.takeWhile((line) => !isEnd(line));
    this.#at++;
    return lines;
  }

  skipBlank(): void {
    while (!this.done && this.peek().trim() === "") this.#at++;
  }

  /** Takes the lines that are indented by at least `width` columns, blank ones among them, without that indent. */
  takeIndented(width: number): string[] {
    const lines = this.takeWhile((line) => line.trim() === "" || indentOf(line) >= width);
    while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
    return lines.map((line) => line.slice(width));
  }
}

/** How many columns a line is indented by. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Lines without the indent that all of them share. */
export function dedent(lines: readonly string[]): string[] {
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== "") least = Math.min(least, indentOf(line));
  return Number.isFinite(least) ? lines.map((line) => line.slice(least)) : [...lines];
}
