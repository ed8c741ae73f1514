import type { Block } from "../../interfaces/block.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { findTables } from "./find-tables.js";
import { type Box, boxAround, boxOnPage, type Frame, unionOf } from "./frame.js";
import { type Headings, isCaption } from "./headings.js";
import { joinLines } from "./join-lines.js";
import { type Line, linesOf } from "./lines.js";
import { type LinkMarks, withoutMarks } from "./link-marks.js";
import { LIST_MARKER, orderedMarker } from "./list-marker.js";
import type { PageFurniture } from "./page-furniture.js";
import type { PageText } from "./page-model.js";
import { type Paragraph, paragraphsOf } from "./paragraphs.js";
import { readingOrder } from "./reading-order.js";
import type { Segment } from "./segments.js";

/** A paragraph or table before it becomes a block; its box is in points of the page. */
interface Placed {
  readonly page: number;
  readonly box: Box;
  /** Its continuations on further pages. */
  readonly continues?: readonly Continuation[];
}

/** A further page of a paragraph and the offset in its text at which that page begins. */
interface Continuation {
  readonly page: number;
  readonly bbox: Box;
  readonly from: number;
}

type Part =
  | (Placed & { readonly kind: "text"; readonly paragraph: Paragraph; readonly angle: number })
  | (Placed & { readonly kind: "table"; readonly rows: readonly (readonly string[])[] })
  | (Placed & { readonly kind: "page_header" | "page_footer" | "note"; readonly text: string });

type TextPart = Extract<Part, { readonly kind: "text" }>;

type Place = Pick<Block, "page" | "bbox">;

/** With fewer pages, repetition is no evidence of a header or footer, so none is removed. */
const MIN_PAGES_WITH_FURNITURE = 4;

/** Adds the blocks of all pages, in reading order. */
export function pagesToBlocks(
  list: BlockList,
  pages: readonly PageText[],
  furniture: readonly PageFurniture[],
  headings: Headings,
  links: LinkMarks,
): void {
  const parts = joinAcrossPages(
    pages.flatMap((page, i) => pageParts(page, furniture[i]!, headings)),
    headings,
  );
  headings.learn(
    parts.flatMap((part) => (part.kind === "text" && headings.isHeading(part.paragraph) ? [part.paragraph] : [])),
  );
  const writer = new BlockWriter(list, headings, links, pages.length >= MIN_PAGES_WITH_FURNITURE);
  for (const part of parts) writer.add(part);
}

function pageParts(page: PageText, { header, body, footer }: PageFurniture, headings: Headings): Part[] {
  const parts: Part[] = [];
  const { frame } = page.main;
  const furniture = (kind: "page_header" | "page_footer", segments: readonly Segment[]): void => {
    for (const line of linesOf(segments))
      parts.push({ kind, page: page.number, text: line.text, box: boxOnPage(frame, boxAround([line])) });
  };
  furniture("page_header", header);
  const regions = [...readingOrder(body).map((segments) => ({ frame, segments })), ...page.turned];
  for (const { frame, segments } of regions) {
    for (const part of regionParts(page.number, linesOf(segments), frame, headings)) parts.push(part);
  }
  for (const { text, box } of page.notes) parts.push({ kind: "note", page: page.number, text, box });
  furniture("page_footer", footer);
  return parts;
}

function regionParts(page: number, lines: readonly Line[], frame: Frame, headings: Headings): Part[] {
  const parts: Part[] = [];
  const addText = (lines: readonly Line[]): void => {
    for (const paragraph of paragraphsOf(lines, (line) => headings.isHeadingFont(line)))
      parts.push({
        kind: "text",
        page,
        paragraph,
        angle: frame.angle,
        box: boxOnPage(frame, boxAround(paragraph.lines)),
      });
  };
  const addLines = (lines: readonly Line[]): void => {
    let next = 0;
    for (const { from, to, rows } of findTables(lines)) {
      addText(lines.slice(next, from));
      parts.push({ kind: "table", page, rows, box: boxOnPage(frame, boxAround(lines.slice(from, to))) });
      next = to;
    }
    addText(lines.slice(next));
  };
  let next = 0;
  for (const [i, { table }] of lines.entries()) {
    if (table === undefined) continue;
    addLines(lines.slice(next, i));
    parts.push({ kind: "table", page, rows: table.rows, box: boxOnPage(frame, table.box) });
    next = i + 1;
  }
  addLines(lines.slice(next));
  return parts;
}

/** Joins a paragraph split by a column or page break: the next text begins in lower case. */
function joinAcrossPages(parts: readonly Part[], headings: Headings): Part[] {
  const joined: Part[] = [];
  let last = -1;
  for (const part of parts) {
    if (part.kind === "page_header" || part.kind === "page_footer") {
      joined.push(part);
      continue;
    }
    const above = joined[last];
    if (part.kind === "text" && above?.kind === "text" && goesOn(above, part, headings)) {
      const text = joinLines([above.paragraph.text, part.paragraph.text]);
      joined[last] = { ...above, ...placesOf(above, part, text), paragraph: { text, lines: above.paragraph.lines } };
      continue;
    }
    joined.push(part);
    last = joined.length - 1;
  }
  return joined;
}

/** The positions of two joined paragraphs, one for each page. */
function placesOf(above: Placed, { page, box, paragraph }: TextPart, text: string): Pick<Placed, "box" | "continues"> {
  const { continues = [] } = above;
  if (above.page === page) return { box: unionOf([above.box, box]) };
  const last = continues.at(-1);
  const isKnown = last?.page === page;
  const place = isKnown
    ? { ...last, bbox: unionOf([last.bbox, box]) }
    : { page, bbox: box, from: text.length - paragraph.text.length };
  return { box: above.box, continues: [...(isKnown ? continues.slice(0, -1) : continues), place] };
}

function goesOn(upper: TextPart, lower: TextPart, headings: Headings): boolean {
  const [above, below] = [upper.paragraph, lower.paragraph];
  if (upper.angle !== lower.angle) return false;
  const last = above.lines.at(-1)!;
  const first = below.lines[0]!;
  // Within a column the spacing has separated them already; only text that starts again further up was split.
  if (first.baseline > last.baseline && first.left < last.right) return false;
  if (Math.abs(first.size - last.size) > last.size * 0.05 || headings.isHeading(above) || headings.isHeading(below))
    return false;
  return /[\p{Ll},\-\u2010]$/u.test(above.text) && /^\p{Ll}/u.test(below.text) && !LIST_MARKER.test(below.text);
}

/** Converts parts to blocks. */
class BlockWriter {
  readonly #list: BlockList;
  readonly #headings: Headings;
  readonly #links: LinkMarks;
  readonly #hasFurniture: boolean;
  /** Left edge of the list item above, if there is one. */
  #outdent: number | null = null;

  constructor(list: BlockList, headings: Headings, links: LinkMarks, hasFurniture: boolean) {
    this.#list = list;
    this.#headings = headings;
    this.#links = links;
    this.#hasFurniture = hasFurniture;
  }

  add(part: Part): void {
    const { page, box: bbox, continues = [] } = part;
    const details: Place = { page, bbox };
    const outdent = this.#outdent;
    if (part.kind !== "page_header" && part.kind !== "page_footer") this.#outdent = null;
    if (part.kind === "text") this.#addText(part.paragraph, outdent, details, continues);
    else if (part.kind === "table") {
      const [header = [], ...rows] = part.rows.map((row) => row.map((cell) => this.#links.toMarkdown(cell)));
      this.#list.table(header, rows, details);
    } else {
      const kind = part.kind === "note" || this.#hasFurniture ? part.kind : "paragraph";
      this.#list.add(kind, this.#links.toMarkdown(part.text), details);
    }
  }

  #addText(paragraph: Paragraph, outdent: number | null, place: Place, continues: readonly Continuation[]): void {
    const plain = withoutMarks(paragraph.text);
    const text = this.#links.toMarkdown(paragraph.text);
    const match = LIST_MARKER.exec(text);
    const placed = (shown: string) => ({ ...place, ...this.#continuations(paragraph.text, shown, continues) });
    if (this.#headings.isHeading(paragraph)) {
      this.#list.heading(this.#headings.levelOf(paragraph), plain, placed(plain));
    } else if (isCaption(plain) && plain.length < 400) this.#list.add("caption", text, placed(text));
    else if (match === null || match[0].length === text.length) this.#list.add("paragraph", text, placed(text));
    else {
      const { left, size } = paragraph.lines[0]!;
      const marker = orderedMarker(text);
      const first = outdent ?? left;
      this.#outdent = first;
      const item = text.slice(match[0].length);
      this.#list.add("list_item", item, {
        ...placed(item),
        level: left > first + size ? 2 : 1,
        ...(marker === undefined ? {} : { marker }),
      });
    }
  }

  /** Where pages begin in the rendered text; without an offset if a link crosses the page break. */
  #continuations(marked: string, shown: string, continues: readonly Continuation[]): Pick<Block, "continues"> {
    if (continues.length === 0) return {};
    return {
      continues: continues.map(({ from, ...place }) => {
        const rest = this.#links.toMarkdown(marked.slice(from));
        return shown.endsWith(rest) ? { ...place, from: shown.length - rest.length } : place;
      }),
    };
  }
}
