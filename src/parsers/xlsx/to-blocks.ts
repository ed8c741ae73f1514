import { KnowledgeBaseError } from "../../errors.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { fileOverLimit } from "../shared/errors/file-errors.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { officeProperties } from "../shared/office/office-properties.js";
import { type DrawingOptions, drawingOptions } from "../shared/ooxml/drawing-blocks.js";
import { OfficePackage } from "../shared/ooxml/office-package.js";
import { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { readWorkbook, type SheetEntry } from "./read.js";
import { type CellContext, readSheet } from "./read-sheet.js";
import { readSharedStrings } from "./shared-strings.js";
import { cellBlocks, hasExtras, sheetExtras } from "./sheet-blocks.js";

/** Maximum number of non-empty cells in all sheets. */
const MAX_CELLS = 3_000_000;

/** Reads the sheets of a workbook, one after the other. @throws `limit_exceeded` above 3 million filled cells. */
export async function readWorkbookBlocks(
  file: SourceFile,
  options: ParseOptions,
): Promise<Omit<ParsedDocument, "mimeType">> {
  const { signal } = options;
  const office = await OfficePackage.open(file, "xl/workbook.xml", signal);
  if (office.mainPart.endsWith(".bin"))
    office.fail("is a binary workbook (XLSB), which is not supported: save it as XLSX.");
  const { sheets, date1904, formats } = readWorkbook(office);
  assertPageCount(file.name, sheets.length, "sheets");
  const part = office.related(office.mainPart, "sharedStrings");
  const strings =
    part === undefined ? [] : await readWellFormed(office, part, readSharedStrings(office.bytes(part), signal));
  let filled = 0;
  const count = (): void => {
    if (++filled > MAX_CELLS)
      throw fileOverLimit(file.name, `has more than the ${MAX_CELLS / 1e6} million filled cells allowed.`);
  };
  // A chart repeats cells of the workbook: its title is new, its table only added on request.
  const drawings = drawingOptions(options, false);
  const reader = new SheetsReader(office, { strings, formats, date1904, count }, drawings);
  for (const [i, entry] of sheets.entries()) await reader.add(entry, i + 1, signal);
  const { blocks } = reader.list;
  return { blocks, ...officeProperties(office.archive), pages: sheets.length, warnings: reader.warnings() };
}

class SheetsReader {
  readonly list = new BlockList();
  readonly #office: OfficePackage;
  readonly #cells: CellContext;
  readonly #options: DrawingOptions;
  readonly #skipped = new SkippedContent();
  readonly #missing: string[] = [];
  readonly #hidden: string[] = [];
  readonly #hiddenCells: string[] = [];
  readonly #truncatedMerges: string[] = [];
  #uncalculated = 0;

  constructor(office: OfficePackage, cells: CellContext, options: DrawingOptions) {
    this.#office = office;
    this.#cells = cells;
    this.#options = options;
  }

  async add({ name, part, isHidden, printTitles }: SheetEntry, page: number, signal: AbortSignal | undefined) {
    if (isHidden) this.#hidden.push(name);
    if (part === undefined) return void this.#missing.push(name);
    const { list } = this;
    const office = this.#office;
    const target = { office, part, list, skipped: this.#skipped, page, ...this.#options };
    const sheet = await readWellFormed(office, part, readSheet(office.bytes(part), this.#cells, signal));
    if (sheet.hasHiddenCells && sheet.rows.length > 0) this.#hiddenCells.push(name);
    this.#uncalculated += sheet.uncalculatedFormulas;
    for (const text of new Set(sheet.headers.map(printedText))) list.add("page_header", text, { page });
    if (sheet.rows.length > 0 || hasExtras(target)) list.heading(1, name, { page });
    if (cellBlocks(sheet, target, printTitles)) this.#truncatedMerges.push(name);
    sheetExtras(target);
    for (const text of new Set(sheet.footers.map(printedText))) list.add("page_footer", text, { page });
  }

  warnings(): string[] {
    const remarks: readonly (readonly [names: readonly string[], remark: string])[] = [
      [this.#missing, "Missing from the file"],
      [this.#hidden, "Hidden in the workbook, but included"],
      [this.#hiddenCells, "Hidden rows or columns were included"],
      [this.#truncatedMerges, "Large merged ranges have their value only in the first cell"],
    ];
    const warnings = remarks
      .filter(([names]) => names.length > 0)
      .map(([names, remark]) => `${remark}: ${sheetList(names)}.`);
    if (this.#uncalculated > 0)
      warnings.push(`Formulas without a stored value, shown as formulas: ${this.#uncalculated}.`);
    return [...warnings, ...this.#skipped.warnings()];
  }
}

async function readWellFormed<T>(office: OfficePackage, part: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (KnowledgeBaseError.is(error) || (error instanceof Error && error.name === "AbortError")) throw error;
    return office.fail(`is damaged: its part "${part}" is not well-formed.`, error);
  }
}

function sheetList(names: readonly string[]): string {
  const quoted = names.slice(0, 10).map((name) => `"${name}"`);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `${names.length === 1 ? "sheet" : "sheets"} ${quoted.join(", ")}${more}`;
}

/** A sheet's print header or footer without its codes: left, middle and right part, without numbers and dates. */
function printedText(coded: string): string {
  return coded
    .split(/&[LCR]/)
    .map((part) =>
      part
        .replace(/&(?:"[^"]*"|K(?:[\dA-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-JM-QS-Z])/gi, "")
        .replaceAll("&&", "&")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((part) => /\p{L}/u.test(part))
    .join(" ");
}
