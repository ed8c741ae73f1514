import { bodyStyle } from "./body-style.js";
import { isCaption } from "./captions.js";
import { FIELD_FONT } from "./form-fields.js";
import { LINE_HYPHEN } from "./line-hyphens.js";
import type { Line } from "./lines.js";
import { removeMarks } from "./link-marks.js";
import { BULLET_PATTERN } from "./list-marker.js";
import type { PageText } from "./page-model.js";
import type { Paragraph } from "./paragraphs.js";
import { isTitleCase } from "./title-case.js";

const NUMBERED_TITLE_PATTERN = /^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-Z]\.|Appendix\s+[A-Z])\s+\p{Lu}/u;

/** Detects headings by tags, outline, size and weight, and assigns their levels. */
export class Headings {
  readonly #bodySize: number;
  readonly #largestTextSize: number;
  readonly #bodyFont: string;
  readonly #isBold: (font: string) => boolean;
  readonly #outline: ReadonlyMap<string, number>;
  #levels = new Map<string, number>();

  /**
   * @param isBold Whether a font of the document is bold.
   * @param outline Depth, from 1, of each title in the document's outline.
   */
  constructor(pages: readonly PageText[], isBold: (font: string) => boolean, outline: ReadonlyMap<string, number>) {
    const { size, largestSize, font } = bodyStyle(pages);
    this.#bodySize = size;
    this.#largestTextSize = largestSize;
    this.#bodyFont = font;
    this.#isBold = isBold;
    this.#outline = outline;
  }

  /** Whether a line is tagged as a heading, larger than the body text, or bold in another font. */
  isHeadingFont(line: Line): boolean {
    return line.heading !== undefined || line.size > this.#largestTextSize * 1.12 || this.#isBoldLine(line);
  }

  isHeading(paragraph: Paragraph): boolean {
    const { lines } = paragraph;
    const text = removeMarks(paragraph.text);
    const line = lines[0]!;
    if (line.font === FIELD_FONT) return false;
    if (line.heading !== undefined) return text.length <= 300 && /[\p{L}\p{N}]/u.test(text);
    if (text.length > 200 || lines.length > 3 || !/\p{L}{2}/u.test(text) || isCaption(text)) return false;
    if (this.#outline.size > 0 && this.#outline.has(outlineKey(text))) return true;
    if (BULLET_PATTERN.test(text)) return false;
    if (line.size > this.#largestTextSize * 1.12) return text.length <= 160 && !/[,;]$/.test(text);
    if (line.size < this.#bodySize * 0.95) return false;
    const isShort = lines.length <= 2 && text.length <= 100 && !/[.,;:]$/.test(text);
    if (this.#isBoldLine(line)) return isShort || (NUMBERED_TITLE_PATTERN.test(text) && text.length <= 120);
    // A heading may differ in font instead of weight, such as a numbered title in small capitals.
    return (
      line.font !== this.#bodyFont &&
      isShort &&
      (NUMBERED_TITLE_PATTERN.test(text) || (lines.length === 1 && isTitleCase(text)))
    );
  }

  /** Assigns levels to the styles of headings, by size. */
  assignLevels(headings: readonly Paragraph[]): void {
    const styles = new Map<string, number>();
    for (const { lines } of headings)
      styles.set(this.#styleOf(lines[0]!), lines[0]!.size + (this.#isBoldLine(lines[0]!) ? 0.1 : 0));
    const sorted = [...styles.entries()].sort((a, b) => b[1] - a[1]);
    this.#levels = new Map(sorted.map(([style], index) => [style, Math.min(6, index + 1)]));
  }

  levelOf(paragraph: Paragraph): number {
    const line = paragraph.lines[0]!;
    const outlineLevel = this.#outline.get(outlineKey(paragraph.text));
    return line.heading?.level ?? outlineLevel ?? this.#levels.get(this.#styleOf(line)) ?? 6;
  }

  #styleOf(line: Line): string {
    return `${Math.round(line.size * 2) / 2} ${this.#isBoldLine(line)}`;
  }

  #isBoldLine(line: Line): boolean {
    return (
      line.font !== this.#bodyFont &&
      this.#isBold(line.font) &&
      line.cells.every((cell) => cell.font === line.font && cell.isMixed !== true)
    );
  }
}

/** Returns a title without numbering, case and punctuation, for comparing titles. */
export function outlineKey(title: string): string {
  return title
    .replaceAll(LINE_HYPHEN, "")
    .toLowerCase()
    .replace(/^[\divx.\s]+(?=\p{L})/u, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
