import { formatCount } from "./format-count.js";

/** Numbers the list items of one text, on each level separately. */
export class ListNumbers {
  readonly #counts: number[] = [];

  /** Returns the marker of the next paragraph on a level, as displayed: `2.`, `b)`, `(iv)`. */
  next(level: number, attributes: Readonly<Record<string, string>>): string {
    const start = Number.parseInt(attributes.startAt ?? "1", 10) || 1;
    this.#counts.length = Math.min(this.#counts.length, level + 1);
    const count = (this.#counts[level] ?? start - 1) + 1;
    this.#counts[level] = count;
    return formatMarker(count, attributes.type ?? "arabicPeriod");
  }

  /** Ends the numbering on a level and all deeper levels, at a paragraph without a number. */
  interrupt(level: number): void {
    this.#counts.length = Math.min(this.#counts.length, level);
  }
}

function formatMarker(count: number, type: string): string {
  const number = formatCount(count, type);
  if (type.endsWith("ParenBoth")) return `(${number})`;
  return type.endsWith("ParenR") ? `${number})` : `${number}.`;
}
