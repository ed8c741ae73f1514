import { getOrCreate } from "../../util/get-or-create.js";
import { groupBy } from "../../util/group-by.js";
import { romanValue } from "../shared/markup/roman-numeral.js";
import type { ListedTitle } from "./headings/titles.js";
import type { PageText, TextLayer } from "./page/page-model.js";
import type { Segment } from "./page/segments.js";
import { type Line, lineOf } from "./text/lines.js";

/** Headers and footers are within this share of the page's height. */
const MARGIN_SHARE = 0.13;
const PAGE_NUMBER_PATTERN =
  /^[-–—\s]*(?:page|seite|p\.?)?\s*(?:\p{Nd}{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|\/|\|)\s*\p{Nd}{1,4})?[-–—\s]*$/iu;
/** The number of a page beside a running title. */
const LABEL_PATTERN = /^(?:\d{1,4}|[ivxlc]{1,7})$/;
/** A running title is farther from the text than this multiple of the font size. */
const MIN_TITLE_GAP = 1.7;
/** A line that is repeated on a smaller share of the pages must be so on pages near each other, as in one chapter. */
const MIN_REPEATED_SHARE = 0.1;
/** How far from a page the others may be. */
const MAX_PAGE_DISTANCE = 6;
/** So many running titles tell where the numbers of pages are. */
const MIN_RUNNING_TITLES = 4;
const MIN_RIGHT_LABELS = 2;

export interface PageFurniture {
  readonly body: readonly Segment[];
  readonly header: readonly Segment[];
  readonly footer: readonly Segment[];
  /** Of a page with vertical text, the text that runs to the right, such as page numbers. */
  readonly upright?: PageFurniture & { readonly layer: TextLayer };
}

/** What tells titles from headers. */
interface PageTitles {
  /** Returns the entry of the outline for a text on a page, or near; `null` if there is none. */
  outlineEntry(text: string, page: number): ListedTitle | null;
  /** Whether a line is tagged as a heading, or larger than the body text. */
  isTitleFont(line: Line): boolean;
}

/**
 * Separates headers and footers from each page's text: lines in the margin that repeat except for their numbers, page
 * numbers, running titles with the number of the page, and content tagged as an artifact. A repeated line at the top of
 * the page that the outline has for its title is that title, unless another line of the page is.
 */
export function splitFurniture(
  pages: readonly PageText[],
  titles: PageTitles = { outlineEntry: () => null, isTitleFont: () => false },
): PageFurniture[] {
  const furniture = splitLayer(pages, titles);
  const uprightPages = pages.flatMap((page, index) => {
    const upright =
      page.main.isVertical === true ? page.rotated.find(({ frame }) => frame.quarterTurns === 0) : undefined;
    return upright === undefined ? [] : [{ index, page: { ...page, main: upright } }];
  });
  if (uprightPages.length === 0) return furniture;
  for (const [i, upright] of splitLayer(
    uprightPages.map(({ page }) => page),
    titles,
  ).entries()) {
    const { index, page } = uprightPages[i]!;
    furniture[index] = { ...furniture[index]!, upright: { ...upright, layer: page.main } };
  }
  return furniture;
}

function splitLayer(pages: readonly PageText[], titles: PageTitles): PageFurniture[] {
  const pagesOf = new Map<string, number[]>();
  const margins = pages.map((page) => marginLines(page));
  for (const [i, lines] of margins.entries()) {
    const keys = lines.flatMap(({ key, label, isLabelRight }) => [
      key,
      ...(label === null ? [] : [label]),
      ...(isLabelRight ? [`${label} right`] : []),
    ]);
    for (const key of new Set(keys)) getOrCreate(pagesOf, key, () => []).push(i);
  }
  const minPages = pages.length <= 4 ? 2 : 3;
  const isRepeated = (key: string, page: number, min: number): boolean => {
    const found = pagesOf.get(key)!;
    if (found.length >= pages.length * MIN_REPEATED_SHARE) return found.length >= min;
    return found.filter((other) => Math.abs(other - page) <= MAX_PAGE_DISTANCE).length >= min;
  };
  // The numbers of sections are never on the right.
  const isRunningTitle = ({ label, segments }: MarginLine, page: number): boolean =>
    label !== null &&
    isRepeated(label, page, MIN_RUNNING_TITLES) &&
    (pagesOf.get(`${label} right`)?.length ?? 0) >= MIN_RIGHT_LABELS &&
    !titles.isTitleFont(lineOf(segments));
  return pages.map((page, i) => {
    const header = new Set<number>();
    const footer = new Set<number>();
    for (const line of margins[i]!) {
      const { row, key, text, isTop, isArtifact } = line;
      const isFurniture = isRepeated(key, i, minPages) || isRunningTitle(line, i);
      if (!isFurniture && !PAGE_NUMBER_PATTERN.test(text) && !isArtifact) continue;
      if (isTop && !isArtifact && !PAGE_NUMBER_PATTERN.test(text) && isTitleOf(page, row, text, titles)) continue;
      (isTop ? header : footer).add(row);
    }
    return {
      body: page.main.segments.filter(({ row }) => !header.has(row) && !footer.has(row)),
      header: page.main.segments.filter(({ row }) => header.has(row)),
      footer: page.main.segments.filter(({ row }) => footer.has(row)),
    };
  });
}

/** Whether the outline has a line for this page, and no other line of the page. */
function isTitleOf({ number, main }: PageText, row: number, text: string, titles: PageTitles): boolean {
  const entry = titles.outlineEntry(text, number);
  if (entry === null || entry.page !== number) return false;
  const others = groupBy(
    main.segments.filter((segment) => segment.row !== row),
    (segment) => segment.row,
  );
  return ![...others.values()].some((line) => titles.outlineEntry(textOf(line), number) === entry);
}

function textOf(line: readonly Segment[]): string {
  return line.map(({ text }) => text).join(" ");
}

interface MarginLine {
  readonly row: number;
  readonly segments: readonly Segment[];
  readonly text: string;
  readonly isTop: boolean;
  readonly isArtifact: boolean;
  /** Equal for the same line on other pages. */
  readonly key: string;
  /**
   * Equal for lines in the same place on other pages that have a number as far from the count of pages, apart from a title;
   * `null` if the line has none, or isn't apart from the text.
   */
  readonly label: string | null;
  /** Whether the number is to the right of the title. */
  readonly isLabelRight: boolean;
}

/** Returns which of a page's first and last three lines are within the page's margins. */
function marginLines(page: PageText): MarginLine[] {
  const lines = [...groupBy(page.main.segments, ({ row }) => row).values()];
  const isTable = (line: readonly Segment[]): boolean => line.some(({ table }) => table !== undefined);
  const { height } = page.main.frame;
  const top = lines.slice(0, 3).filter((line) => line[0]!.baseline < height * MARGIN_SHARE && !isTable(line));
  const bottom = lines.slice(-3).filter((line) => line[0]!.baseline > height * (1 - MARGIN_SHARE) && !isTable(line));
  const isApart = (line: readonly Segment[], next: readonly Segment[] | undefined): boolean =>
    next !== undefined && Math.abs(line[0]!.baseline - next[0]!.baseline) > line[0]!.size * MIN_TITLE_GAP;
  return [
    ...top.map((line, i) => marginLine(page, line, true, i === 0 && isApart(line, lines[1]))),
    ...bottom.map((line) => marginLine(page, line, false, line === lines.at(-1) && isApart(line, lines.at(-2)))),
  ];
}

function marginLine(page: PageText, segments: readonly Segment[], isTop: boolean, isApart: boolean): MarginLine {
  const text = textOf(segments);
  const place = `${isTop ? "top" : "bottom"} ${Math.round(segments[0]!.baseline / 6)}`;
  const [left, right] = [segments[0]!.text, segments.at(-1)!.text];
  const isLabelRight = isApart && segments.length > 1 && LABEL_PATTERN.test(right);
  const shown = isLabelRight ? right : isApart && segments.length > 1 && LABEL_PATTERN.test(left) ? left : null;
  return {
    row: segments[0]!.row,
    segments,
    text,
    isTop,
    isArtifact: segments.every((segment) => segment.isArtifact),
    key: `${place} ${text.replace(/\d+/g, "#").toLowerCase()}`,
    label: shown === null ? null : `${place} ${labelOffset(shown, page.number)}`,
    isLabelRight,
  };
}

/** Returns how far the number of a page is from its place in the document. */
function labelOffset(label: string, page: number): string {
  return /^\d/.test(label) ? `number ${Number(label) - page}` : `roman ${romanValue(label) - page}`;
}
