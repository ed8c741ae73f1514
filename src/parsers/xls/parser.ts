import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { sheetToBlocks } from "../shared/tables/sheet-to-blocks.js";

const MIME_TYPE = "application/vnd.ms-excel";

/** Excel workbooks of 1995 to 2003: each sheet a page, cells as displayed, formulas by their last result. */
export const xlsParser: Parser = {
  name: "xls",
  mimeTypes: [MIME_TYPE, "application/msexcel", "application/x-msexcel"],
  extensions: ["xls", "xlt", "xla"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ CompoundFile }, { readWorkbook }, { summaryProperties }] = await Promise.all([
      import("../shared/archive/compound-file.js"),
      import("./read.js"),
      import("../shared/archive/property-set.js"),
    ]);
    const container = new CompoundFile(file.name, file.bytes);
    const stream = container.stream("Workbook") ?? container.stream("Book");
    if (stream === null) throw invalidFile(file.name, "is not an Excel workbook: it has no workbook stream.");
    const { sheets, isCut, damagedRecords } = readWorkbook(file.name, stream);
    options.signal?.throwIfAborted();
    const list = new BlockList();
    for (const [index, { name, rows, texts }] of sheets.entries()) {
      sheetToBlocks(list, name, rows, index + 1);
      for (const text of texts) list.add("note", text, { page: index + 1 });
    }
    const { title, metadata } = summaryProperties(container);
    return {
      blocks: list.blocks,
      title,
      mimeType: MIME_TYPE,
      pages: Math.max(1, sheets.length),
      metadata,
      warnings: [
        ...(isCut ? ["The workbook has too many cells; the last ones were skipped."] : []),
        ...(damagedRecords > 0 ? ["Some cells are damaged and were skipped."] : []),
      ],
    };
  },
};
