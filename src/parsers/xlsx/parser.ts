import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";
import { officeProperties } from "../shared/office/office-properties.js";

const OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
const MIME_TYPE = `${OFFICE}sheet`;

/** Excel workbooks: a sheet is a page under its name, each region of filled cells a table; then charts and comments. */
export const xlsxParser: Parser = {
  name: "xlsx",
  mimeTypes: [
    MIME_TYPE,
    `${OFFICE}template`,
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.template.macroenabled.12",
  ],
  extensions: ["xlsx", "xlsm", "xltx", "xltm"],
  honours: CHART_OPTIONS,
  async parse(file, options) {
    const { readWorkbookBlocks } = await import("./to-blocks.js");
    const { OfficePackage } = await import("../shared/ooxml/office-package.js");
    const office = await OfficePackage.open(file, "xl/workbook.xml", options.signal);
    const { list, pages, warnings } = await readWorkbookBlocks(file, office, options);
    const { title, metadata } = officeProperties(office.archive);
    return { blocks: list.blocks, title, mimeType: MIME_TYPE, pages, metadata, warnings };
  },
};
