import { bodyStyle } from "../page/body-style.js";
import { FIELD_FONT } from "../page/form-fields.js";
import { removeMarks } from "../page/link-marks.js";
import type { PageText } from "../page/page-model.js";
import type { TaggedHeading } from "../page/page-tags.js";
import { isCaption } from "../text/captions.js";
import type { Line } from "../text/lines.js";
import { BULLET_PATTERN } from "../text/list-marker.js";
import type { TextPart } from "../text/page-parts.js";
import type { Paragraph } from "../text/paragraphs.js";
import { isTitleCase } from "../text/title-case.js";
import { type HeadingEvidence, headingLevels } from "./heading-levels.js";
import { areLabels } from "./labels.js";
import { misusedTagLevels } from "./tagged-headings.js";
import { type ListedTitle, Titles } from "./titles.js";

const NUMBERED_TITLE_PATTERN = /^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-Z]\.|Appendix\s+[A-Z])\s+\p{Lu}/u;

/** A title has a word, unlike the number of a page. */
const WORD_PATTERN = /\p{L}{2}/u;

/** A longer paragraph is no title, whatever the outline or the contents page says. */
const MAX_TITLE_LENGTH = 200;

/** Further texts with gaps between them are the names of columns. */
const MAX_TITLE_CELLS = 2;

/** A paragraph and where it is. */
export type PlacedParagraph = Pick<TextPart, "paragraph" | "page" | "isInMargin">;

/** Detects headings by tags, outline, contents page, size and weight, and assigns their levels. */
export class Headings {
  readonly #bodySize: number;
  readonly #largestTextSize: number;
  readonly #bodyFont: string;
  readonly #isBold: (font: string) => boolean;
  readonly #outline: Titles;
  readonly #misusedTagLevels: ReadonlySet<number>;
  #contents = new Titles([]);
  /** Paragraphs that are headings since the outline or a contents page lists them. */
  #listed: ReadonlySet<Paragraph> = new Set();
  /** Paragraphs that look like headings but only label what follows. */
  #labels: ReadonlySet<Paragraph> = new Set();
  #levels: ReadonlyMap<Paragraph, number> = new Map();

  /** @param isBold Whether a font of the document is bold. */
  constructor(pages: readonly PageText[], isBold: (font: string) => boolean, outline: readonly ListedTitle[] = []) {
    const { size, largestSize, font } = bodyStyle(pages);
    this.#bodySize = size;
    this.#largestTextSize = largestSize;
    this.#bodyFont = font;
    this.#isBold = isBold;
    this.#outline = new Titles(outline);
    this.#misusedTagLevels = misusedTagLevels(pages, (segment) => segment.font === font && segment.size <= size * 1.03);
  }

  /** Whether a line is tagged as a heading, larger than the body text, or bold in another font. */
  isHeadingFont(line: Line): boolean {
    return this.isTitleFont(line) || this.#isBoldLine(line);
  }

  /** Whether a line is tagged as a heading, or larger than the body text. */
  isTitleFont(line: Line): boolean {
    return this.#tagOf(line) !== undefined || line.size > this.#largestTextSize * 1.12;
  }

  /** Returns the entry of the outline for a text on a page, or near; `null` if there is none, or its page is unknown. */
  outlineEntry(text: string, page: number): ListedTitle | null {
    return findListed([this.#outline], text, page);
  }

  isHeading(paragraph: Paragraph): boolean {
    if (this.#labels.has(paragraph)) return false;
    return this.#listed.has(paragraph) || this.#looksLikeHeading(paragraph);
  }

  /**
   * Makes headings of the paragraphs that the outline or a contents page lists, unless another paragraph with the same
   * title looks like a heading.
   *
   * @param contents The titles on the contents pages. Like those of the outline, they tell levels, but make no heading if
   *   their page is unknown.
   */
  addListed(paragraphs: readonly PlacedParagraph[], contents: readonly ListedTitle[]): void {
    this.#contents = new Titles(contents);
    const found = new Map<PagedTitle, { readonly paragraph: Paragraph | null; readonly distance: number }>();
    for (const { paragraph, page } of paragraphs) {
      const { lines, text } = paragraph;
      if (lines.length > 3 || lines[0]!.font === FIELD_FONT) continue;
      const entry = findListed([this.#outline, this.#contents], text, page);
      if (entry === null || isCaption(text)) continue;
      const distance = Math.abs(entry.page - page);
      if (this.#looksLikeHeading(paragraph)) found.set(entry, { paragraph: null, distance: -1 });
      else if (distance < (found.get(entry)?.distance ?? Number.POSITIVE_INFINITY))
        found.set(entry, { paragraph, distance });
    }
    this.#listed = new Set([...found.values()].flatMap(({ paragraph }) => paragraph ?? []));
  }

  #looksLikeHeading(paragraph: Paragraph): boolean {
    const { lines } = paragraph;
    const text = removeMarks(paragraph.text);
    const line = lines[0]!;
    if (line.font === FIELD_FONT) return false;
    if (this.#tagOf(line) !== undefined) return text.length <= 300 && /[\p{L}\p{N}]/u.test(text);
    if (text.length > 200 || lines.length > 3 || !WORD_PATTERN.test(text) || isCaption(text)) return false;
    if (BULLET_PATTERN.test(text)) return false;
    if (line.size > this.#largestTextSize * 1.12) return text.length <= 160 && !/[,;]$/.test(text);
    if (line.size < this.#bodySize * 0.95 || line.cells.length > MAX_TITLE_CELLS) return false;
    const isShort = lines.length <= 2 && text.length <= 100 && !/[.,;:]$/.test(text);
    if (this.#isBoldLine(line)) return isShort || (NUMBERED_TITLE_PATTERN.test(text) && text.length <= 120);
    // A heading may differ in font instead of weight, such as a numbered title in small capitals.
    return (
      line.font !== this.#bodyFont &&
      isShort &&
      (NUMBERED_TITLE_PATTERN.test(text) || (lines.length === 1 && isTitleCase(text)))
    );
  }

  /** Assigns levels to all headings of the document, given in order, except for those that turn out to be labels. */
  assignLevels(headings: readonly PlacedParagraph[]): void {
    const evidence = headings.map((heading) => this.#evidenceOf(heading));
    const labels = areLabels(evidence);
    const others = headings.filter((_, i) => !labels[i]);
    const levels = headingLevels(evidence.filter((_, i) => !labels[i]));
    this.#labels = new Set(headings.flatMap(({ paragraph }, i) => (labels[i] ? paragraph : [])));
    this.#levels = new Map(others.map(({ paragraph }, i) => [paragraph, levels[i]!]));
  }

  #evidenceOf({ paragraph, page, isInMargin }: PlacedParagraph): HeadingEvidence {
    const line = paragraph.lines[0]!;
    const text = removeMarks(paragraph.text);
    return {
      text,
      size: line.size,
      isBold: this.#isBoldLine(line),
      tagLevel: this.#tagOf(line)?.level ?? null,
      outlineDepth: this.#outline.find(text, page)?.depth ?? null,
      contentsDepth: this.#contents.find(text, page)?.depth ?? null,
      hasPageNumber: isInMargin && text.startsWith(`${page} `),
    };
  }

  /** Returns the level that {@link assignLevels} gave a heading. */
  levelOf(heading: Paragraph): number {
    return this.#levels.get(heading)!;
  }

  #tagOf({ heading }: Line): TaggedHeading | undefined {
    return heading !== undefined && !this.#misusedTagLevels.has(heading.level) ? heading : undefined;
  }

  #isBoldLine(line: Line): boolean {
    return (
      line.font !== this.#bodyFont &&
      this.#isBold(line.font) &&
      line.cells.every((cell) => cell.font === line.font && cell.isMixed !== true)
    );
  }
}

/** A title whose page is known. */
type PagedTitle = ListedTitle & { readonly page: number };

/** Returns the entry for a text on a page, or near, in the first list that has it with its page; `null` if none has. */
function findListed(lists: readonly Titles[], text: string, page: number): PagedTitle | null {
  const title = removeMarks(text);
  if (title.length > MAX_TITLE_LENGTH || !WORD_PATTERN.test(title)) return null;
  for (const titles of lists) {
    const entry = titles.find(title, page);
    if (isPaged(entry)) return entry;
  }
  return null;
}

function isPaged(entry: ListedTitle | null): entry is PagedTitle {
  return entry !== null && entry.page !== null;
}
