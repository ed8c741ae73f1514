import type { Block } from "../../interfaces/block.js";
import { getOrCreate } from "../../util/get-or-create.js";
import { groupBy } from "../../util/group-by.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { findSpans } from "../shared/tables/find-spans.js";
import { joinHeaderRows } from "../shared/tables/join-header-rows.js";
import { contentsTitles } from "./headings/contents.js";
import type { Headings } from "./headings/headings.js";
import { joinParts } from "./join-parts.js";
import { boxAround, boxOnPage, boxToFrame, type Frame, unionOf } from "./page/frame.js";
import { type LinkMarks, removeMarks } from "./page/link-marks.js";
import type { PageText } from "./page/page-model.js";
import type { PlacedTable, Segment } from "./page/segments.js";
import { maxOf } from "./page/statistics.js";
import { inReadingDirection, type TableCell } from "./page/table-cells.js";
import { isRightToLeft } from "./page/text-direction.js";
import type { PageFurniture } from "./page-furniture.js";
import { PAGE_NUMBER_PATTERN } from "./tables/table-evidence.js";
import { findRegions } from "./tables/text-tables.js";
import { isCaption } from "./text/captions.js";
import type { CrossReferences } from "./text/cross-references.js";
import { placeFootnotes } from "./text/footnotes.js";
import { LineHyphens } from "./text/line-hyphens.js";
import { type Line, linesOf } from "./text/lines.js";
import { linkedEntries } from "./text/linked-entries.js";
import { LIST_MARKER_PATTERN, orderedMarker } from "./text/list-marker.js";
import { findListings, hasListings, textOfListing, withoutListings } from "./text/listings.js";
import type { Continuation, Part, TablePart, TextPart } from "./text/page-parts.js";
import {
  measuresOf,
  type Paragraph,
  paragraphsOf,
  type RegionMeasures,
  type TitleEvidence,
} from "./text/paragraphs.js";
import { readingOrder } from "./text/reading-order.js";
import { takeSideCaptions } from "./text/side-captions.js";

type BlockPosition = Pick<Block, "page" | "bbox" | "references">;

/** With fewer pages, repetition is no evidence of a header or footer, so both count as paragraphs. */
const MIN_PAGES_WITH_FURNITURE = 4;

/** Distance of the margins from the middle of the page, as a share of its height. */
const MIN_MARGIN_DISTANCE = 0.4;

/** The links of a document. */
interface DocumentLinks {
  /** Marks in the text of links to other documents. */
  readonly marks: LinkMarks;
  readonly references: CrossReferences;
}

/** Adds the blocks of all pages, in reading order. */
export function pagesToBlocks(
  list: BlockList,
  pages: readonly PageText[],
  furniture: readonly PageFurniture[],
  headings: Headings,
  { marks, references }: DocumentLinks,
): void {
  const context = { headings, hasListings: hasListings(pages) };
  const pieces = pages.flatMap((page, i) => placeFootnotes(pageParts(page, furniture[i]!, context)));
  const texts = pieces.filter((part): part is TextPart => part.kind === "text" && !part.isEntry && !part.isFootnote);
  headings.addListed(texts, contentsTitles(pieces, references));
  const parts = joinParts(pieces, headings);
  headings.assignLevels(
    parts.filter(
      (part): part is TextPart =>
        part.kind === "text" && !part.isEntry && !part.isFootnote && headings.isHeading(part.paragraph),
    ),
  );
  const hasFurniture = pages.length >= MIN_PAGES_WITH_FURNITURE;
  const writer = new BlockWriter(list, { headings, marks, references, hyphens: new LineHyphens(pages), hasFurniture });
  for (const part of parts) writer.add(part);
}

/** What is known of the document whose pages are divided into parts. */
interface PartsContext {
  readonly headings: Headings;
  /** Whether lines in monospaced fonts are listings. */
  readonly hasListings: boolean;
}

function pageParts(page: PageText, { header, body, footer, upright }: PageFurniture, context: PartsContext): Part[] {
  const parts: Part[] = [];
  const { frame } = page.main;
  const addFurniture = (kind: "page_header" | "page_footer", segments: readonly Segment[], on = frame): void => {
    for (const line of linesOf(segments))
      parts.push({ kind, page: page.number, text: line.text, box: boxOnPage(on, boxAround([line])) });
  };
  const addUpright = (isAbove: boolean): void => {
    if (upright === undefined) return;
    const top = body.length === 0 ? 0 : boxOnPage(frame, boxAround(body))[1];
    const own = upright.body.filter((segment) => segment.bottom < top + segment.size === isAbove);
    parts.push(...regionParts(page, linesOf(own), upright.layer.frame, context));
  };
  if (upright) addFurniture("page_header", upright.header, upright.layer.frame);
  addFurniture("page_header", header);
  addUpright(true);
  for (const region of readingOrder(body)) {
    const { captions, rest } = takeSideCaptions(region);
    const text = regionParts(page, linesOf(rest), frame, context);
    for (const caption of captions) insertBelow(text, regionParts(page, linesOf(caption), frame, context), frame);
    parts.push(...text);
  }
  addUpright(false);
  for (const layer of page.rotated) {
    if (layer === upright?.layer) continue;
    parts.push(...regionParts(page, linesOf(layer.segments), layer.frame, context));
  }
  for (const { text, box } of page.notes) parts.push({ kind: "note", page: page.number, text, box });
  addFurniture("page_footer", footer);
  if (upright) addFurniture("page_footer", upright.footer, upright.layer.frame);
  return parts;
}

/** Inserts the parts of a caption after the part of the text beside which it begins. */
function insertBelow(parts: Part[], caption: readonly Part[], frame: Frame): void {
  const topOf = ({ box }: Part): number => boxToFrame(frame, box)[1];
  const at = parts.findLastIndex((part) => topOf(part) <= topOf(caption[0]!));
  parts.splice(at + 1, 0, ...caption);
}

function regionParts(
  { number: page, references }: PageText,
  lines: readonly Line[],
  frame: Frame,
  { headings, hasListings }: PartsContext,
): Part[] {
  const parts: Part[] = [];
  const addParagraphs = (paragraphs: readonly Paragraph[], isEntry: boolean): void => {
    for (const paragraph of paragraphs)
      parts.push({
        kind: "text",
        page,
        paragraph,
        isEntry: isEntry || (isRunningTitle(paragraph, frame) && !headings.isTitleFont(paragraph.lines[0]!)),
        isInMargin: isInMargin(paragraph.lines[0]!, frame),
        isFootnote: false,
        quarterTurns: frame.quarterTurns,
        box: boxOnPage(frame, boxAround(paragraph.lines)),
      });
  };
  const titles: TitleEvidence = {
    isHeadingFont: (line) => headings.isHeadingFont(line),
    isListed: (text) => headings.outlineEntry(text, page) !== null,
  };
  const addText = (lines: readonly Line[], region?: RegionMeasures): void =>
    addParagraphs(paragraphsOf(lines, titles, region), false);
  const isTitle = (line: Line): boolean =>
    headings.isTitleFont(line) || headings.outlineEntry(line.text, page) !== null;
  const addLines = (lines: readonly Line[]): void => {
    let next = 0;
    const listings = hasListings ? findListings(lines, isTitle) : [];
    const prose = listings.length === 0 ? undefined : measuresOf(withoutListings(lines, listings));
    for (const { from, to } of listings) {
      const own = lines.slice(from, to);
      addProse(lines.slice(next, from), prose);
      parts.push({ kind: "code", page, text: textOfListing(own), box: boxOnPage(frame, boxAround(own)) });
      next = to;
    }
    addProse(lines.slice(next), prose);
  };
  const addEntries = (lines: readonly Line[]): void =>
    addParagraphs(
      lines.map((line) => ({ text: line.text, lines: [line] })),
      true,
    );
  const addProse = (lines: readonly Line[], prose?: RegionMeasures): void => {
    const entries = linkedEntries(lines, references, frame);
    for (let from = 0, to = 0; from < lines.length; from = to) {
      const isEntry = entries.has(lines[from]!);
      do to++;
      while (to < lines.length && entries.has(lines[to]!) === isEntry);
      if (isEntry) addEntries(lines.slice(from, to));
      else addUnlinked(lines.slice(from, to), prose);
    }
  };
  const addUnlinked = (lines: readonly Line[], prose?: RegionMeasures): void => {
    let next = 0;
    for (const region of findRegions(lines, (line) => headings.isHeadingFont(line))) {
      const own = lines.slice(region.from, region.to);
      addText(lines.slice(next, region.from), prose);
      if (region.kind === "columns") for (const text of region.texts) addLines(text);
      else if (region.kind === "entries") addEntries(own);
      else {
        const { headerRowCount, extents } = region;
        const rows = inReadingDirection(region.rows);
        parts.push(tablePart(page, frame, { rows, headerRowCount, extents, box: boxAround(own) }));
      }
      next = region.to;
    }
    addText(lines.slice(next), prose);
  };
  let next = 0;
  for (const [i, { table }] of lines.entries()) {
    if (table === undefined) continue;
    addLines(lines.slice(next, i));
    parts.push(tablePart(page, frame, table));
    next = i + 1;
  }
  addLines(lines.slice(next));
  return parts;
}

function tablePart(page: number, frame: Frame, { extents, box, ...table }: PlacedTable): TablePart {
  const [left, , right] = box;
  const rowPositions = extents.map(({ top, bottom }) => ({ page, bbox: boxOnPage(frame, [left, top, right, bottom]) }));
  return { kind: "table", page, ...table, rowPositions, box: boxOnPage(frame, box) };
}

/** Whether a line in the upper or lower margin begins or ends with a page number apart from its text. */
function isRunningTitle({ lines }: Paragraph, frame: Frame): boolean {
  const [line] = lines as readonly [Line];
  const { cells } = line;
  if (lines.length > 1 || cells.length < 2 || !isInMargin(line, frame)) return false;
  return [cells[0]!, cells.at(-1)!].some(({ text }) => PAGE_NUMBER_PATTERN.test(text));
}

function isInMargin({ baseline }: Line, { height }: Frame): boolean {
  return Math.abs(baseline - height / 2) >= height * MIN_MARGIN_DISTANCE;
}

interface WriterContext {
  readonly headings: Headings;
  readonly marks: LinkMarks;
  readonly references: CrossReferences;
  readonly hyphens: LineHyphens;
  /** Whether the document has enough pages to tell headers and footers from paragraphs. */
  readonly hasFurniture: boolean;
}

/** Converts parts to blocks. */
class BlockWriter {
  readonly #list: BlockList;
  readonly #headings: Headings;
  readonly #marks: LinkMarks;
  readonly #references: CrossReferences;
  readonly #hyphens: LineHyphens;
  readonly #hasFurniture: boolean;
  /** Where the list to which the previous block belongs begins in its lines; `null` if that block is not a list item. */
  #listStart: number | null = null;

  constructor(list: BlockList, { headings, marks, references, hyphens, hasFurniture }: WriterContext) {
    this.#list = list;
    this.#headings = headings;
    this.#marks = marks;
    this.#references = references;
    this.#hyphens = hyphens;
    this.#hasFurniture = hasFurniture;
  }

  add(part: Part): void {
    const details = { page: part.page, bbox: part.box, ...this.#referencesOf(part) };
    const listStart = this.#listStart;
    if (part.kind !== "page_header" && part.kind !== "page_footer") this.#listStart = null;
    if (part.kind === "text") this.#addText(part, listStart, details);
    else if (part.kind === "table") this.#addTable(part, details);
    else if (part.kind === "code")
      this.#list.add("code", part.text, { ...details, ...(part.continues && { continues: part.continues }) });
    else {
      const kind = part.kind === "note" || this.#hasFurniture ? part.kind : "paragraph";
      this.#list.add(kind, this.#toMarkdown(part.text), details);
    }
  }

  #addTable({ rows, headerRowCount, rowPositions }: TablePart, position: BlockPosition): void {
    const texts = new Map<TableCell, string>();
    const textOf = (cell: TableCell): string => getOrCreate(texts, cell, () => this.#toMarkdown(cell.text));
    const grid = rows.map((row) => row.map(textOf));
    const headerRows = grid.slice(0, headerRowCount);
    const [first, ...others] = rowPositions.slice(0, headerRowCount);
    const header = { ...first!, bbox: unionOf([first!, ...others].map(({ bbox }) => bbox)) };
    const width = maxOf(headerRows.map((row) => row.length));
    this.#list.table(joinHeaderRows(headerRows, width), grid.slice(headerRowCount), {
      ...position,
      rowPositions: [header, ...rowPositions.slice(headerRowCount)],
      table: { headerRows, spans: findSpans(rows) },
    });
  }

  #addText(part: TextPart, listStart: number | null, position: BlockPosition): void {
    const { paragraph, isEntry, isFootnote, continues = [] } = part;
    const text = this.#toMarkdown(paragraph.text);
    const plain = removeMarks(this.#hyphens.resolve(paragraph.text));
    const match = LIST_MARKER_PATTERN.exec(text);
    const detailsFor = (shown: string) => ({ ...position, ...this.#continuations(paragraph.text, shown, continues) });
    if (isFootnote) this.#list.add("note", text, detailsFor(text));
    else if (!isEntry && this.#headings.isHeading(paragraph)) {
      this.#list.heading(this.#headings.levelOf(paragraph), plain, detailsFor(plain));
    } else if (isEntry) this.#list.add("paragraph", text, detailsFor(text));
    else if (isCaption(plain) && plain.length < 400) this.#list.add("caption", text, detailsFor(text));
    else if (match === null || match[0].length === text.length) this.#list.add("paragraph", text, detailsFor(text));
    else {
      const { left, right, size } = paragraph.lines[0]!;
      const marker = orderedMarker(text);
      const start = isRightToLeft([text]) ? -right : left;
      const first = listStart ?? start;
      this.#listStart = first;
      const item = text.slice(match[0].length);
      this.#list.add("list_item", item, {
        ...detailsFor(item),
        level: start > first + size ? 2 : 1,
        ...(marker === undefined ? {} : { marker }),
      });
    }
  }

  #referencesOf(part: Part): Pick<Block, "references"> {
    const boxes =
      part.kind === "table"
        ? [...groupBy(part.rowPositions, ({ page }) => page)].map(([page, rows]) => ({
            page,
            bbox: unionOf(rows.map(({ bbox }) => bbox)),
          }))
        : [{ page: part.page, bbox: part.box }, ...(part.continues ?? [])];
    const references = boxes
      .flatMap(({ page, bbox }) => this.#references.at(page, bbox))
      .map(({ text, page }) => ({ text: this.#hyphens.resolve(text), page }));
    return references.length === 0 ? {} : { references };
  }

  #toMarkdown(text: string): string {
    return this.#marks.toMarkdown(this.#hyphens.resolve(text));
  }

  /** Returns where pages begin in the rendered text, without the offset if a link crosses the page break. */
  #continuations(marked: string, rendered: string, continues: readonly Continuation[]): Pick<Block, "continues"> {
    if (continues.length === 0) return {};
    return {
      continues: continues.map(({ from, ...position }) => {
        const rest = this.#toMarkdown(marked.slice(from));
        return rendered.endsWith(rest) ? { ...position, from: rendered.length - rest.length } : position;
      }),
    };
  }
}
