import type { ParsedDocument, SourceFile } from "../../interfaces/parser.js";
import { CompoundFile } from "../shared/archive/compound-file.js";
import { summaryProperties } from "../shared/archive/property-set.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { sheetToBlocks } from "../shared/tables/sheet-to-blocks.js";
import { uncalculatedFormulas } from "../shared/tables/uncalculated-formulas.js";
import { readWorkbook } from "./read.js";

/** Reads a workbook. Each sheet becomes a page. */
export function readWorkbookBlocks({ name, bytes }: SourceFile): Omit<ParsedDocument, "mimeType"> {
  const container = new CompoundFile(name, bytes);
  const stream = container.stream("Workbook") ?? container.stream("Book");
  if (stream === null) throw invalidFile(name, "is not an Excel workbook: it has no workbook stream.");
  const { sheets, isTruncated, damagedRecordCount, uncalculatedFormulaCount } = readWorkbook(name, stream);
  const list = new BlockList();
  for (const [index, { name, rows, texts }] of sheets.entries()) {
    const numbered = rows.map((cells, row) => ({ number: row + 1, cells }));
    sheetToBlocks(list, name, numbered, index + 1);
    for (const text of texts) list.add("note", text, { page: index + 1 });
  }
  return {
    blocks: list.blocks,
    ...summaryProperties(container),
    pages: Math.max(1, sheets.length),
    warnings: [
      ...(isTruncated ? ["The workbook has too many cells; the last cells were skipped."] : []),
      ...(damagedRecordCount > 0 ? ["Some cells are damaged and were skipped."] : []),
      ...(uncalculatedFormulaCount > 0 ? [uncalculatedWarning(uncalculatedFormulaCount)] : []),
    ],
  };
}

function uncalculatedWarning(count: number): string {
  return `${uncalculatedFormulas(count)} left empty. Save the workbook in a spreadsheet program to store the values.`;
}
