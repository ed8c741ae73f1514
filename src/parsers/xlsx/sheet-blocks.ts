import type { BlockList } from "../shared/blocks/block-list.js";
import { webLink } from "../shared/html/web-link.js";
import { addShape, type DrawingContext, shapesOf } from "../shared/ooxml/drawing-blocks.js";
import type { Losses } from "../shared/ooxml/losses.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { childElements } from "../shared/xml/xml-tree.js";
import { printedText } from "./header-footer.js";
import type { Sheet } from "./read-sheet.js";
import { type RegionOptions, regionBlocks } from "./region-blocks.js";
import { findRegions } from "./regions.js";
import { sheetComments } from "./sheet-comments.js";
import { spreadMerges } from "./spread-merges.js";

/** Adds the cells of a worksheet. @returns whether some merged ranges were too large to repeat. */
export function cellBlocks(
  office: OfficePackage,
  part: string,
  sheet: Sheet,
  list: BlockList,
  options: RegionOptions,
): boolean {
  linkCells(office, part, sheet);
  const isCut = spreadMerges(sheet);
  for (const region of findRegions(sheet.rows)) regionBlocks(list, region, options);
  return isCut;
}

/** Whether a sheet has more than cells. */
export function hasExtras(office: OfficePackage, part: string): boolean {
  return ["drawing", "comments", "threadedComment"].some((type) => office.related(part, type) !== undefined);
}

/** Adds the objects over and beside the cells: shapes, charts, images, comments. */
export function sheetExtras(
  office: OfficePackage,
  part: string,
  list: BlockList,
  losses: Losses,
  options: SheetOptions,
): void {
  for (const drawing of office.relatedParts(part, "drawing")) {
    const context: DrawingContext = {
      office,
      part: drawing,
      list,
      losses,
      ...options,
      bulletStyles: () => [],
      inOrder: (shapes) => shapes,
    };
    for (const anchor of childElements(office.xml(drawing)))
      for (const shape of shapesOf(anchor)) addShape(shape, context);
  }
  for (const note of sheetComments(office, part)) list.add("note", note, { page: options.page });
}

export type SheetOptions = Pick<DrawingContext, "page" | "images" | "pictures" | "charts">;

/** Adds the distinct print headers, or footers. */
export function sheetFurniture(
  coded: readonly string[],
  kind: "page_header" | "page_footer",
  list: BlockList,
  page: number,
): void {
  for (const text of new Set(coded.map(printedText))) list.add(kind, text, { page });
}

/** Turns cells with web links into Markdown links. */
function linkCells(office: OfficePackage, part: string, sheet: Sheet): void {
  if (sheet.links.length === 0) return;
  const targets = new Map(
    office.relationships(part).flatMap(({ id, target, external }) => (external ? [[id, target] as const] : [])),
  );
  const rows = new Map(sheet.rows.map((row) => [row.number, row]));
  for (const { range, id } of sheet.links) {
    const target = targets.get(id);
    const cell = rows.get(range.top)?.cells.find(({ column }) => column === range.left);
    if (target !== undefined && cell !== undefined) cell.text = webLink(cell.text, target);
  }
}
