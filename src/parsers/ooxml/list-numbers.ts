/** Counts the numbered paragraphs of one text, level by level. */
export class ListNumbers {
  readonly #counts: number[] = [];

  /** The marker of the next paragraph on a level, as printed: `2.`, `b)`, `(iv)`. */
  next(level: number, attributes: Readonly<Record<string, string>>): string {
    const start = Number.parseInt(attributes.startAt ?? "1", 10) || 1;
    this.#counts.length = Math.min(this.#counts.length, level + 1);
    const count = (this.#counts[level] ?? start - 1) + 1;
    this.#counts[level] = count;
    return printed(count, attributes.type ?? "arabicPeriod");
  }

  /** What has no number ends the counting on its level and below. */
  interrupt(level: number): void {
    this.#counts.length = Math.min(this.#counts.length, level);
  }
}

function printed(count: number, type: string): string {
  const upper = /Uc/.test(type);
  const text = type.startsWith("alpha") ? letters(count) : type.startsWith("roman") ? roman(count) : String(count);
  const number = upper ? text.toUpperCase() : text;
  if (type.endsWith("ParenBoth")) return `(${number})`;
  return type.endsWith("ParenR") ? `${number})` : `${number}.`;
}

function letters(count: number): string {
  let text = "";
  for (let rest = count; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

function roman(count: number): string {
  let text = "";
  let rest = Math.min(count, 100_000);
  for (const [value, digits] of ROMAN) {
    while (rest >= value) {
      text += digits;
      rest -= value;
    }
  }
  return text;
}
