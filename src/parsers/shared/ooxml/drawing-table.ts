import { child, childElements, type XmlElement } from "../xml/xml-tree.js";
import { drawingText } from "./drawing-text.js";
import type { Relationship } from "./office-package.js";
import { isOn } from "./on-off.js";

/** A table of DrawingML as a grid; a cell that spans several columns or rows is repeated in each. */
export function drawingTable(table: XmlElement, relationships: readonly Relationship[]): string[][] {
  const grid: string[][] = [];
  for (const row of childElements(table, "tr")) {
    const previousRow = grid.at(-1);
    const cells: string[] = [];
    for (const cell of childElements(row, "tc")) {
      const column = cells.length;
      if (isOn(cell.attributes.hMerge)) cells.push(cells[column - 1] ?? "");
      else if (isOn(cell.attributes.vMerge)) cells.push(previousRow?.[column] ?? "");
      else cells.push(drawingText(child(cell, "txBody"), relationships));
    }
    grid.push(cells);
  }
  return grid.filter((row) => row.some((cell) => cell !== ""));
}
