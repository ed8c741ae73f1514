import type { Block } from "../../interfaces/block.js";
import type { BlockList } from "../block-list.js";
import { findTables } from "./find-tables.js";
import { type Headings, isCaption } from "./headings.js";
import { greatest, type Line, least, linesOf } from "./lines.js";
import { LIST_MARKER, orderedMarker } from "./list-marker.js";
import type { PageFurniture } from "./page-furniture.js";
import type { PageText, Segment } from "./page-text.js";
import { joinLines, type Paragraph, paragraphsOf } from "./paragraphs.js";
import { readingOrder } from "./reading-order.js";

type BBox = NonNullable<Block["bbox"]>;

/** A piece of a page before it is a block. */
type Part =
  | { readonly kind: "text"; readonly page: number; readonly paragraph: Paragraph }
  | {
      readonly kind: "table";
      readonly page: number;
      readonly rows: readonly (readonly string[])[];
      readonly lines: readonly Line[];
    }
  | { readonly kind: "page_header" | "page_footer" | "turned"; readonly page: number; readonly text: string };

/** Adds the blocks of all pages, in reading order. */
export function pagesToBlocks(
  list: BlockList,
  pages: readonly PageText[],
  furniture: readonly PageFurniture[],
  headings: Headings,
): void {
  const parts = joinAcrossPages(
    pages.flatMap((page, i) => pageParts(page, furniture[i]!, headings)),
    headings,
  );
  headings.learn(
    parts.flatMap((part) => (part.kind === "text" && headings.isHeading(part.paragraph) ? [part.paragraph] : [])),
  );
  let above: Part | null = null;
  for (const part of parts) {
    addPart(list, part, headings, above);
    above = part;
  }
}

function pageParts(page: PageText, { header, body, footer }: PageFurniture, headings: Headings): Part[] {
  const parts: Part[] = [];
  const furniture = (kind: "page_header" | "page_footer", segments: readonly Segment[]): void => {
    for (const line of linesOf(segments)) parts.push({ kind, page: page.number, text: line.text });
  };
  furniture("page_header", header);
  for (const region of readingOrder(body)) {
    for (const part of regionParts(page.number, linesOf(region), headings)) parts.push(part);
  }
  for (const text of page.turned) parts.push({ kind: "turned", page: page.number, text });
  furniture("page_footer", footer);
  return parts;
}

function regionParts(page: number, lines: readonly Line[], headings: Headings): Part[] {
  const parts: Part[] = [];
  const addText = (from: number, to: number): void => {
    if (from === to) return;
    const paragraphs = paragraphsOf(lines.slice(from, to), (line) => headings.isHeadingFont(line));
    for (const paragraph of paragraphs) parts.push({ kind: "text", page, paragraph });
  };
  let next = 0;
  for (const table of findTables(lines)) {
    addText(next, table.from);
    parts.push({ kind: "table", page, rows: table.rows, lines: lines.slice(table.from, table.to) });
    next = table.to;
  }
  addText(next, lines.length);
  return parts;
}

/** A paragraph that a column or page break cuts goes on where the next text begins in lower case. */
function joinAcrossPages(parts: readonly Part[], headings: Headings): Part[] {
  const joined: Part[] = [];
  let last = -1;
  for (const part of parts) {
    if (part.kind === "page_header" || part.kind === "page_footer") {
      joined.push(part);
      continue;
    }
    const above = joined[last];
    if (part.kind === "text" && above?.kind === "text" && goesOn(above.paragraph, part.paragraph, headings)) {
      const text = joinLines([above.paragraph.text, part.paragraph.text]);
      joined[last] = { ...above, paragraph: { text, lines: above.paragraph.lines } };
      continue;
    }
    joined.push(part);
    last = joined.length - 1;
  }
  return joined;
}

function goesOn(above: Paragraph, below: Paragraph, headings: Headings): boolean {
  const last = above.lines.at(-1)!;
  const first = below.lines[0]!;
  // Within a column the spacing has parted them already; only text that starts again further up was cut.
  if (first.baseline > last.baseline && first.left < last.right) return false;
  if (Math.abs(first.size - last.size) > last.size * 0.05 || headings.isHeading(above) || headings.isHeading(below))
    return false;
  return /[\p{Ll},\-\u2010]$/u.test(above.text) && /^\p{Ll}/u.test(below.text) && !LIST_MARKER.test(below.text);
}

function addPart(list: BlockList, part: Part, headings: Headings, above: Part | null) {
  const { page } = part;
  if (part.kind === "table") {
    const [header = [], ...rows] = part.rows;
    return list.table(header, rows, { page, bbox: boxOf(part.lines) });
  }
  if (part.kind !== "text") return list.add(part.kind === "turned" ? "paragraph" : part.kind, part.text, { page });
  const { paragraph } = part;
  const details = { page, bbox: boxOf(paragraph.lines) };
  if (headings.isHeading(paragraph)) return list.heading(headings.levelOf(paragraph), paragraph.text, details);
  if (isCaption(paragraph.text) && paragraph.text.length < 400) return list.add("caption", paragraph.text, details);
  const match = LIST_MARKER.exec(paragraph.text);
  if (match === null || match[0].length === paragraph.text.length)
    return list.add("paragraph", paragraph.text, details);
  const marker = orderedMarker(paragraph.text);
  const outdent =
    above?.kind === "text" && LIST_MARKER.test(above.paragraph.text)
      ? above.paragraph.lines[0]!.left
      : paragraph.lines[0]!.left;
  const level = paragraph.lines[0]!.left > outdent + paragraph.lines[0]!.size ? 2 : 1;
  list.add("list_item", paragraph.text.slice(match[0].length), {
    ...details,
    level,
    ...(marker === undefined ? {} : { marker }),
  });
}

function boxOf(lines: readonly Line[]): BBox {
  const round = (value: number): number => Math.round(value * 10) / 10;
  return [
    round(least(lines.map((line) => line.left))),
    round(least(lines.map((line) => line.top))),
    round(greatest(lines.map((line) => line.right))),
    round(greatest(lines.map((line) => line.bottom))),
  ];
}
