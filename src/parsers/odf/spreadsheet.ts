import type { BlockList } from "../shared/blocks/block-list.js";
import { sheetToBlocks } from "../shared/tables/sheet-to-blocks.js";
import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";
import { readSheetCell } from "./spreadsheet-cell.js";
import { layOutTable } from "./table-grid.js";
import { TextWalk, type WalkContext } from "./text-walk.js";

/** Adds each sheet of a spreadsheet as a page. Returns the number of sheets. */
export function addSheets(list: BlockList, spreadsheet: XmlElement, context: WalkContext): number {
  const sheets = childElements(spreadsheet, "table:table");
  for (const [index, sheet] of sheets.entries()) {
    context.page = index + 1;
    const name = sheet.attributes["table:name"] ?? "";
    const { rows, positions, isTruncated } = layOutTable(
      sheet,
      {
        read: (cell) => readSheetCell(cell, context),
        lengthOf: ({ text }) => text.length,
        copy: (cell) => ({ ...cell }),
      },
      context.repeatBudget,
    );
    if (isTruncated) context.warnings.add(`The sheet "${name}" repeats too many cells; its last rows were skipped.`);
    const numbered = rows.map((cells, row) => ({ number: positions[row]! + 1, cells }));
    sheetToBlocks(list, name, numbered, index + 1);
    addAnchoredElements(list, sheet, context);
  }
  return sheets.length;
}

/** Adds the shapes on a sheet, and the comments and drawings in its cells. */
function addAnchoredElements(list: BlockList, sheet: XmlElement, context: WalkContext): void {
  const walk = new TextWalk(list, context);
  walk.addNodes(child(sheet, "table:shapes")?.children ?? []);
  for (const cell of descendants(sheet, "table:table-cell")) {
    for (const element of childElements(cell)) {
      const isComment = element.name === "office:annotation" && textContent(element).trim() !== "";
      if (isComment || element.name.startsWith("draw:")) walk.addElement(element);
    }
  }
}
