import { KnowledgeBaseError } from "../../errors.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { PARSE_LIMITS } from "../limits.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { fileOverLimit } from "../shared/errors/file-errors.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { officeProperties } from "../shared/office/office-properties.js";
import { type DrawingOptions, drawingOptions } from "../shared/ooxml/drawing-blocks.js";
import { OfficePackage } from "../shared/ooxml/office-package.js";
import { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { uncalculatedFormulas } from "../shared/tables/uncalculated-formulas.js";
import { readWorkbook, type SheetEntry } from "./read.js";
import { type CellContext, readSheet } from "./read-sheet.js";
import { readSharedStrings } from "./shared-strings.js";
import { addCells, addObjects, hasObjects } from "./sheet-blocks.js";

/** The maximum number of non-empty cells in all sheets. */
const MAX_CELLS = 3_000_000;

/**
 * Reads a workbook. Each sheet becomes a page.
 *
 * @throws `limit_exceeded` above 3 million non-empty cells.
 */
export async function readWorkbookBlocks(
  file: SourceFile,
  options: ParseOptions,
): Promise<Omit<ParsedDocument, "mimeType">> {
  const { signal } = options;
  const office = await OfficePackage.open(file, "xl/workbook.xml", signal);
  if (office.mainPart.endsWith(".bin"))
    office.fail("is a binary workbook (XLSB), which is not supported: save it as XLSX.");
  const { sheets, usesEpoch1904, formats } = readWorkbook(office);
  assertPageCount(file.name, sheets.length, "sheets");
  const part = office.related(office.mainPart, "sharedStrings");
  const strings =
    part === undefined ? [] : await readWellFormed(office, part, readSharedStrings(office.bytes(part), signal));
  let cellCount = 0;
  let characterCount = 0;
  const countCell = (characters: number): void => {
    characterCount += characters;
    if (characterCount > PARSE_LIMITS.maxCharacters)
      throw fileOverLimit(file.name, `has more than the ${PARSE_LIMITS.maxCharacters} characters of text allowed.`);
    if (++cellCount > MAX_CELLS)
      throw fileOverLimit(file.name, `has more than the ${MAX_CELLS / 1e6} million non-empty cells allowed.`);
  };
  // Charts repeat cells of the workbook, so their data is added only on request.
  const drawings = drawingOptions(options, false);
  const reader = new SheetsReader(office, { strings, formats, usesEpoch1904, countCell }, drawings);
  for (const [i, entry] of sheets.entries()) await reader.add(entry, i + 1, signal);
  const { blocks } = reader.list;
  return { blocks, ...officeProperties(office.archive), pages: sheets.length, warnings: reader.warnings() };
}

class SheetsReader {
  readonly list = new BlockList();
  readonly #office: OfficePackage;
  readonly #cellContext: CellContext;
  readonly #options: DrawingOptions;
  readonly #skipped = new SkippedContent();
  readonly #missingSheets: string[] = [];
  readonly #hiddenSheets: string[] = [];
  readonly #sheetsWithHiddenCells: string[] = [];
  readonly #sheetsWithSkippedMerges: string[] = [];
  #uncalculatedFormulaCount = 0;

  constructor(office: OfficePackage, cellContext: CellContext, options: DrawingOptions) {
    this.#office = office;
    this.#cellContext = cellContext;
    this.#options = options;
  }

  async add({ name, part, isHidden, printTitles }: SheetEntry, page: number, signal: AbortSignal | undefined) {
    if (isHidden) this.#hiddenSheets.push(name);
    if (part === undefined) return void this.#missingSheets.push(name);
    const { list } = this;
    const office = this.#office;
    const target = { office, part, list, skipped: this.#skipped, page, ...this.#options };
    const sheet = await readWellFormed(office, part, readSheet(office.bytes(part), this.#cellContext, signal));
    if (sheet.hasHiddenCells && sheet.rows.length > 0) this.#sheetsWithHiddenCells.push(name);
    this.#uncalculatedFormulaCount += sheet.uncalculatedFormulaCount;
    for (const text of new Set(sheet.headers.map(withoutCodes))) list.add("page_header", text, { page });
    if (sheet.rows.length > 0 || hasObjects(target)) list.heading(1, name, { page });
    if (addCells(sheet, target, { name, printTitles })) this.#sheetsWithSkippedMerges.push(name);
    addObjects(target);
    for (const text of new Set(sheet.footers.map(withoutCodes))) list.add("page_footer", text, { page });
  }

  warnings(): string[] {
    const remarks: readonly (readonly [names: readonly string[], remark: string])[] = [
      [this.#missingSheets, "These sheets are missing from the file"],
      [this.#hiddenSheets, "These sheets are hidden in the workbook, but included"],
      [this.#sheetsWithHiddenCells, "Hidden rows or columns were included in these sheets"],
      [this.#sheetsWithSkippedMerges, "Large merged ranges have their value only in the first cell in these sheets"],
    ];
    const warnings = remarks
      .filter(([names]) => names.length > 0)
      .map(([names, remark]) => `${remark}: ${listNames(names)}.`);
    if (this.#uncalculatedFormulaCount > 0)
      warnings.push(`${uncalculatedFormulas(this.#uncalculatedFormulaCount)} shown as text.`);
    return [...warnings, ...this.#skipped.warnings()];
  }
}

/** Awaits the reading of a part. Throws `invalid_input` if the part is not well-formed. */
async function readWellFormed<T>(office: OfficePackage, part: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (KnowledgeBaseError.is(error) || (error instanceof Error && error.name === "AbortError")) throw error;
    return office.fail(`is damaged: its part "${part}" is not well-formed.`, error);
  }
}

function listNames(names: readonly string[]): string {
  const quoted = names.slice(0, 10).map((name) => `"${name}"`);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `${quoted.join(", ")}${more}`;
}

/**
 * Returns a print header or footer without its formatting codes: its left, middle and right parts, without numbers and
 * dates.
 */
function withoutCodes(coded: string): string {
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
