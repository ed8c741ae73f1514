import { getOrCreate } from "../../util/get-or-create.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { builtInFormat, type FormattedNumber, type NumberFormat, numberFormat } from "../shared/ooxml/number-format.js";
import type { SheetCell } from "../shared/tables/sheet-to-blocks.js";
import { type BiffRecord, RECORD_TYPE, readRecords, viewOf } from "./records.js";
import { decodeCharacters, readByteString, readSharedStrings, readUnicodeString } from "./strings.js";

export interface Sheet {
  readonly name: string;
  /** The cells by row. Skipped rows are empty. */
  readonly rows: (SheetCell | undefined)[][];
  /** The texts of objects on the sheet, such as text boxes and comments. */
  readonly texts: string[];
}

export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Whether cells were skipped because the workbook has too many. */
  readonly isTruncated: boolean;
  /** The number of truncated records, which were skipped. */
  readonly damagedRecordCount: number;
  /** The number of formulas without a stored result. Their cells are empty. */
  readonly uncalculatedFormulaCount: number;
}

/** The rows and columns of a range, from 0. */
interface MergedRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** The maximum number of non-empty cells in all sheets. */
const MAX_CELLS = 2_000_000;
/** The maximum number of cells that repeat the first cell of a merged range. */
const MAX_REPEATED_CELLS = 200_000;
/** The number of columns in a sheet of this format. */
const MAX_COLUMNS = 256;

/**
 * The flag of a formula that is to be calculated when the workbook is opened (OpenOffice.org's Documentation of the
 * Microsoft Excel File Format, 5.50).
 */
const CALCULATE_ON_LOAD = 0x02;

const ERROR_TEXTS: ReadonlyMap<number, string> = new Map([
  [0x00, "#NULL!"],
  [0x07, "#DIV/0!"],
  [0x0f, "#VALUE!"],
  [0x17, "#REF!"],
  [0x1d, "#NAME?"],
  [0x24, "#NUM!"],
  [0x2a, "#N/A"],
]);

/**
 * Reads the sheets of a workbook.
 *
 * @throws `invalid_input` if the workbook is damaged or password-protected.
 */
export function readWorkbook(fileName: string | null, stream: Uint8Array): Workbook {
  const reader = new WorkbookReader(fileName);
  for (const record of readRecords(stream)) {
    try {
      if (!reader.readRecord(record)) break;
    } catch (error) {
      // The record is truncated. The next record begins after its declared length.
      if (!(error instanceof RangeError)) throw error;
      reader.damagedRecordCount++;
    }
  }
  reader.endSheet();
  if (reader.version === 0) throw invalidFile(fileName, "is damaged: its workbook cannot be read.");
  return {
    sheets: reader.sheets,
    isTruncated: reader.remainingCellCount <= 0,
    damagedRecordCount: reader.damagedRecordCount,
    uncalculatedFormulaCount: reader.removeUncalculated(),
  };
}

class WorkbookReader {
  readonly sheets: Sheet[] = [];
  version = 0;
  remainingCellCount = MAX_CELLS;
  damagedRecordCount = 0;
  readonly #fileName: string | null;
  readonly #sheetNames: string[] = [];
  /** Number formats by id. */
  readonly #formats = new Map<number, NumberFormat>();
  /** The ids of number formats by cell format. */
  readonly #cellFormats: number[] = [];
  #strings: readonly string[] = [];
  #codePage = 1252;
  #usesEpoch1904 = false;
  #sheet: Sheet | null = null;
  #substreamDepth = 0;
  #remainingRepeatCount = MAX_REPEATED_CELLS;
  /** The merged ranges of the sheet. */
  #mergedRanges: MergedRange[] = [];
  /** The cell of a formula whose result is text: the text follows in the next record. */
  #pendingFormula: { row: number; column: number } | null = null;
  /** Formulas with the result 0 that are to be calculated when the workbook is opened. */
  readonly #zeroFormulas: { readonly cells: (SheetCell | undefined)[]; readonly column: number }[] = [];
  #hasFormulaResults = false;

  constructor(fileName: string | null) {
    this.#fileName = fileName;
  }

  /** Reads a record. Returns whether to continue. */
  readRecord(record: BiffRecord): boolean {
    const { type, bytes } = record;
    const view = viewOf(bytes);
    switch (type) {
      case RECORD_TYPE.beginning5:
      case RECORD_TYPE.beginning4:
      case RECORD_TYPE.beginning3:
      case RECORD_TYPE.beginning2:
        this.#beginSubstream(view, type);
        break;
      case RECORD_TYPE.end:
        this.#substreamDepth--;
        if (this.#substreamDepth <= 0) this.endSheet();
        break;
      case RECORD_TYPE.encryption:
        throw invalidFile(this.#fileName, "is password-protected.");
      case RECORD_TYPE.epoch1904:
        this.#usesEpoch1904 = view.getUint16(0, true) === 1;
        break;
      case RECORD_TYPE.codePage:
        this.#codePage = view.getUint16(0, true) === 0x8000 ? 10000 : view.getUint16(0, true);
        break;
      case RECORD_TYPE.sheet:
        this.#sheetNames.push(this.#readText(bytes, 6, 1));
        break;
      case RECORD_TYPE.sharedStrings:
        this.#strings = readSharedStrings(record);
        break;
      case RECORD_TYPE.numberFormat: {
        const code = this.#isUnicode ? readUnicodeString(bytes, 2, 2) : readByteString(bytes, 2, 1, this.#codePage);
        this.#formats.set(view.getUint16(0, true), numberFormat(code));
        break;
      }
      case RECORD_TYPE.cellFormat:
        this.#cellFormats.push(view.getUint16(2, true));
        break;
      case RECORD_TYPE.textBox:
        this.#sheet?.texts.push(boxText(record, view.getUint16(10, true)));
        break;
      default:
        if (this.#sheet !== null && this.#substreamDepth === 1) this.#readCell(type, bytes, view);
    }
    return this.remainingCellCount > 0;
  }

  /** Completes the sheet, if one is being read. */
  endSheet(): void {
    if (this.#sheet !== null && this.#mergedRanges.length > 0) this.#repeatMergedCells(this.#sheet.rows);
    this.#mergedRanges = [];
    this.#sheet = null;
  }

  /**
   * Empties the cells of formulas without a result, and returns their number. Programs that don't calculate store 0 for
   * each formula; if another result is in the workbook, zeros are results too.
   */
  removeUncalculated(): number {
    if (this.#hasFormulaResults) return 0;
    for (const { cells, column } of this.#zeroFormulas) cells[column] = undefined;
    return this.#zeroFormulas.length;
  }

  get #isUnicode(): boolean {
    return this.version >= 0x600;
  }

  /** Begins a substream: the workbook's globals, a sheet or a chart. A chart within a sheet is skipped. */
  #beginSubstream(view: DataView, type: number): void {
    this.#substreamDepth = Math.max(0, this.#substreamDepth) + 1;
    if (this.version === 0) this.version = type === RECORD_TYPE.beginning5 ? view.getUint16(0, true) : type;
    const kind = view.byteLength >= 4 ? view.getUint16(2, true) : 0;
    const isGlobals = kind === 0x05 || kind === 0x100;
    if (isGlobals || this.#substreamDepth > 1) return;
    this.endSheet();
    const sheet = { name: this.#sheetNames[this.sheets.length] ?? "", rows: [], texts: [] };
    this.sheets.push(sheet);
    this.#sheet = kind === 0x10 ? sheet : null;
  }

  #readCell(type: number, bytes: Uint8Array, view: DataView) {
    if (type === RECORD_TYPE.formulaText) {
      const cell = this.#pendingFormula;
      if (cell !== null) this.#setText(cell.row, cell.column, this.#readText(bytes, 0));
      this.#pendingFormula = null;
      return;
    }
    if (type === RECORD_TYPE.mergedCells) return this.#addMergedRanges(view);
    if (!CELL_RECORD_TYPES.has(type)) return;
    const row = view.getUint16(0, true);
    const column = view.getUint16(2, true);
    const formatIndex = view.getUint16(4, true);
    switch (type) {
      case RECORD_TYPE.sharedStringCell:
        return this.#setText(row, column, this.#strings[view.getUint32(6, true)] ?? "");
      case RECORD_TYPE.textCell:
      case RECORD_TYPE.richTextCell:
        return this.#setText(row, column, this.#readText(bytes, 6));
      case RECORD_TYPE.numberCell:
        return this.#setCell(row, column, this.#formatNumber(view.getFloat64(6, true), formatIndex));
      case RECORD_TYPE.rkNumberCell:
        return this.#setCell(row, column, this.#formatNumber(readRkNumber(view, 6), formatIndex));
      case RECORD_TYPE.rkNumberCells:
        for (let at = 4, x = column; at + 6 <= bytes.length - 2; at += 6, x++)
          this.#setCell(row, x, this.#formatNumber(readRkNumber(view, at + 2), view.getUint16(at, true)));
        return;
      case RECORD_TYPE.booleanOrErrorCell:
        return this.#setCell(row, column, readBooleanOrError(view.getUint8(6), view.getUint8(7) !== 0));
      default:
        return this.#readFormula(row, column, formatIndex, view);
    }
  }

  #readFormula(row: number, column: number, formatIndex: number, view: DataView) {
    if (view.getUint16(12, true) !== 0xffff) {
      const value = view.getFloat64(6, true);
      this.#setCell(row, column, this.#formatNumber(value, formatIndex));
      const cells = this.#sheet?.rows[row];
      const isZero = value === 0 && (view.getUint16(14, true) & CALCULATE_ON_LOAD) !== 0;
      if (isZero && cells !== undefined) this.#zeroFormulas.push({ cells, column });
      else this.#hasFormulaResults = true;
      return;
    }
    this.#hasFormulaResults = true;
    const kind = view.getUint8(6);
    if (kind === 0) this.#pendingFormula = { row, column };
    else if (kind === 1 || kind === 2) this.#setCell(row, column, readBooleanOrError(view.getUint8(8), kind === 2));
  }

  #readText(bytes: Uint8Array, at: number, lengthBytes: 1 | 2 = 2): string {
    return this.#isUnicode
      ? readUnicodeString(bytes, at, lengthBytes)
      : readByteString(bytes, at, lengthBytes, this.#codePage);
  }

  #formatNumber(value: number, formatIndex: number): FormattedNumber {
    if (!Number.isFinite(value)) return { text: "", value: null };
    const id = this.#cellFormats[formatIndex] ?? 0;
    return getOrCreate(this.#formats, id, () => builtInFormat(id)).format(value, this.#usesEpoch1904);
  }

  #setText(row: number, column: number, text: string): void {
    this.#setCell(row, column, { text: text.replace(/\s+/g, " ").trim(), value: null });
  }

  #setCell(row: number, column: number, cell: SheetCell): void {
    if (column >= MAX_COLUMNS || this.#sheet === null || this.remainingCellCount <= 0 || cell.text === "") return;
    this.remainingCellCount--;
    const { rows } = this.#sheet;
    while (rows.length <= row) rows.push([]);
    const cells = rows[row]!;
    while (cells.length <= column) cells.push(undefined);
    cells[column] = cell;
  }

  #addMergedRanges(view: DataView): void {
    for (let at = 2; at + 8 <= view.byteLength; at += 8) {
      const [top, bottom] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
      const [left, right] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
      this.#mergedRanges.push({ top, bottom, left, right });
    }
  }

  /** Repeats the first cell of each merged range in its other cells, up to the last row and column with text. */
  #repeatMergedCells(rows: Sheet["rows"]): void {
    const width = rows.reduce((max, cells) => Math.max(max, cells.length), 0);
    for (const range of this.#mergedRanges) {
      const { top, left } = range;
      const bottom = Math.min(range.bottom, rows.length - 1);
      const right = Math.min(range.right, width - 1);
      const cell = rows[top]?.[left];
      if (cell === undefined || bottom < top || right < left) continue;
      this.#remainingRepeatCount -= (bottom - top + 1) * (right - left + 1);
      if (this.#remainingRepeatCount < 0) return;
      for (const cells of rows.slice(top, bottom + 1)) {
        while (cells.length <= right) cells.push(undefined);
        for (let column = left; column <= right; column++) cells[column] ??= cell;
      }
    }
  }
}

const CELL_RECORD_TYPES: ReadonlySet<number> = new Set([
  RECORD_TYPE.sharedStringCell,
  RECORD_TYPE.textCell,
  RECORD_TYPE.richTextCell,
  RECORD_TYPE.numberCell,
  RECORD_TYPE.rkNumberCell,
  RECORD_TYPE.rkNumberCells,
  RECORD_TYPE.booleanOrErrorCell,
  RECORD_TYPE.formula2,
  RECORD_TYPE.formula3,
  RECORD_TYPE.formula4,
]);

/** Returns the text of a text box from its continuation records, each of which begins with a character width. */
function boxText({ continuations }: BiffRecord, length: number): string {
  let text = "";
  for (const continuation of continuations) {
    const isWide = ((continuation[0] ?? 0) & 1) !== 0;
    if (text.length < length) text += decodeCharacters(continuation.subarray(1), isWide).slice(0, length - text.length);
  }
  return text.trim();
}

/** Reads an RK number: four bytes with an integer or the upper half of a double, optionally in hundredths. */
function readRkNumber(view: DataView, at: number): number {
  const raw = view.getInt32(at, true);
  let value = raw >> 2;
  if ((raw & 2) === 0) {
    const double = new DataView(new ArrayBuffer(8));
    double.setInt32(4, raw & ~3, true);
    value = double.getFloat64(0, true);
  }
  return (raw & 1) === 0 ? value : value / 100;
}

function readBooleanOrError(value: number, isError: boolean): SheetCell {
  if (isError) return { text: ERROR_TEXTS.get(value) ?? "#ERROR!", value: null };
  return { text: value === 0 ? "FALSE" : "TRUE", value: value !== 0 };
}
