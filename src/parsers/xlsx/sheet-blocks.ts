import { webLink } from "../shared/html/web-link.js";
import { addShape, type DrawingContext, type DrawingTarget, shapesOf } from "../shared/ooxml/drawing-blocks.js";
import { childElements } from "../shared/xml/xml-tree.js";
import type { SheetEntry } from "./read.js";
import type { Sheet } from "./read-sheet.js";
import { addRegion } from "./region-blocks.js";
import { findRegions } from "./regions.js";
import { repeatMergedCells } from "./repeat-merged-cells.js";
import { readSheetComments } from "./sheet-comments.js";

/**
 * Adds the cells of a worksheet.
 *
 * @returns Whether some merged ranges were too large to be repeated.
 */
export function addCells(
  sheet: Sheet,
  target: DrawingTarget,
  { name, printTitles }: Pick<SheetEntry, "name" | "printTitles">,
): boolean {
  const { list, page } = target;
  linkCells(sheet, target);
  const hasSkippedMerges = repeatMergedCells(sheet);
  for (const region of findRegions(sheet.rows)) addRegion(list, region, { page, sheetName: name, printTitles });
  return hasSkippedMerges;
}

/** Returns whether a sheet has drawings or comments. */
export function hasObjects({ office, part }: DrawingTarget): boolean {
  return ["drawing", "comments", "threadedComment"].some((type) => office.related(part, type) !== undefined);
}

/** Adds the objects outside the cells: shapes, charts, images and comments. */
export function addObjects(target: DrawingTarget): void {
  const { office, part, list, page } = target;
  for (const drawing of office.relatedParts(part, "drawing")) {
    const context: DrawingContext = { ...target, part: drawing, bulletStyles: () => [], sortShapes: (all) => all };
    for (const anchor of childElements(office.xml(drawing)))
      for (const shape of shapesOf(anchor)) addShape(shape, context);
  }
  for (const note of readSheetComments(office, part)) list.add("note", note, { page });
}

/** Turns cells with web links into Markdown links. */
function linkCells(sheet: Sheet, { office, part }: DrawingTarget): void {
  if (sheet.links.length === 0) return;
  const targets = new Map(
    office.relationships(part).flatMap(({ id, target, isExternal }) => (isExternal ? [[id, target] as const] : [])),
  );
  const rows = new Map(sheet.rows.map((row) => [row.number, row]));
  for (const { range, id } of sheet.links) {
    const target = targets.get(id);
    const cell = rows.get(range.top)?.cells.find(({ column }) => column === range.left);
    if (target !== undefined && cell !== undefined) cell.text = webLink(cell.text, target);
  }
}
