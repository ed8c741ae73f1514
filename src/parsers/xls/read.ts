import { getOrCreate } from "../../util/get-or-create.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { builtInFormat, type NumberFormat, numberFormat } from "../shared/ooxml/number-format.js";
import { type BiffRecord, records, viewOf } from "./records.js";
import { byteString, decodeCharacters, sharedStrings, unicodeString } from "./strings.js";

export interface Sheet {
  readonly name: string;
  /** Rows of cells as text; skipped ones are blank. */
  readonly rows: string[][];
  /** Texts of objects on the sheet: text boxes and comments. */
  readonly texts: string[];
}

export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Whether cells were skipped because there are too many. */
  readonly isTruncated: boolean;
  /** Number of truncated records, which were skipped. */
  readonly damagedRecords: number;
}

/** Maximum number of non-empty cells in all sheets. */
const MAX_CELLS = 2_000_000;
/** Columns of a sheet in this format. */
const MAX_COLUMNS = 256;

const ERRORS: ReadonlyMap<number, string> = new Map([
  [0x00, "#NULL!"],
  [0x07, "#DIV/0!"],
  [0x0f, "#VALUE!"],
  [0x17, "#REF!"],
  [0x1d, "#NAME?"],
  [0x24, "#NUM!"],
  [0x2a, "#N/A"],
]);

/** @throws `invalid_input` if the workbook is damaged or password-protected. */
export function readWorkbook(fileName: string | null, stream: Uint8Array): Workbook {
  const reader = new WorkbookReader(fileName);
  for (const record of records(stream)) {
    try {
      if (!reader.record(record)) break;
    } catch (error) {
      // Skips a truncated record; the next one begins after its declared length.
      if (!(error instanceof RangeError)) throw error;
      reader.damagedRecords++;
    }
  }
  if (reader.version === 0) throw invalidFile(fileName, "is damaged: its workbook cannot be read.");
  return { sheets: reader.sheets, isTruncated: reader.remainingCells <= 0, damagedRecords: reader.damagedRecords };
}

class WorkbookReader {
  readonly sheets: Sheet[] = [];
  version = 0;
  remainingCells = MAX_CELLS;
  damagedRecords = 0;
  readonly #fileName: string | null;
  readonly #sheetNames: string[] = [];
  readonly #formats = new Map<number, NumberFormat>();
  readonly #cellFormats: number[] = [];
  #strings: readonly string[] = [];
  #codePage = 1252;
  #epoch1904 = false;
  #sheet: Sheet | null = null;
  #substreamDepth = 0;
  #pendingFormula: { row: number; column: number } | null = null;

  constructor(fileName: string | null) {
    this.#fileName = fileName;
  }

  /** Reads a record; returns whether to continue. */
  record(record: BiffRecord): boolean {
    const { type, bytes } = record;
    const view = viewOf(bytes);
    switch (type) {
      case 0x809:
      case 0x409:
      case 0x209:
      case 0x009:
        this.#begin(view, type);
        break;
      case 0x0a:
        this.#substreamDepth--;
        if (this.#substreamDepth <= 0) this.#sheet = null;
        break;
      case 0x2f:
        throw invalidFile(this.#fileName, "is password-protected.");
      case 0x22:
        this.#epoch1904 = view.getUint16(0, true) === 1;
        break;
      case 0x42:
        this.#codePage = view.getUint16(0, true) === 0x8000 ? 10000 : view.getUint16(0, true);
        break;
      case 0x85:
        this.#sheetNames.push(this.#text(bytes, 6, 1));
        break;
      case 0xfc:
        this.#strings = sharedStrings(record);
        break;
      case 0x41e: {
        const code = this.#isUnicode ? unicodeString(bytes, 2, 2) : byteString(bytes, 2, 1, this.#codePage);
        this.#formats.set(view.getUint16(0, true), numberFormat(code));
        break;
      }
      case 0xe0:
        this.#cellFormats.push(view.getUint16(2, true));
        break;
      case 0x1b6:
        this.#sheet?.texts.push(boxText(record, view.getUint16(10, true)));
        break;
      default:
        if (this.#sheet !== null && this.#substreamDepth === 1) this.#cell(type, bytes, view);
    }
    return this.remainingCells > 0;
  }

  get #isUnicode(): boolean {
    return this.version >= 0x600;
  }

  /** Charts within a sheet begin and end like sheets: only the outermost substream counts. */
  #begin(view: DataView, type: number): void {
    this.#substreamDepth = Math.max(0, this.#substreamDepth) + 1;
    if (this.version === 0) this.version = type === 0x809 ? view.getUint16(0, true) : type;
    const kind = view.byteLength >= 4 ? view.getUint16(2, true) : 0;
    const isGlobals = kind === 0x05 || kind === 0x100;
    if (isGlobals || this.#substreamDepth > 1) return;
    const sheet = { name: this.#sheetNames[this.sheets.length] ?? "", rows: [], texts: [] };
    this.sheets.push(sheet);
    this.#sheet = kind === 0x10 ? sheet : null;
  }

  #cell(type: number, bytes: Uint8Array, view: DataView) {
    if (type === 0x207) {
      const at = this.#pendingFormula;
      if (at !== null) this.#set(at.row, at.column, this.#text(bytes, 0));
      this.#pendingFormula = null;
      return;
    }
    if (!CELL_RECORDS.has(type)) return;
    const row = view.getUint16(0, true);
    const column = view.getUint16(2, true);
    const format = view.getUint16(4, true);
    switch (type) {
      case 0xfd:
        return this.#set(row, column, this.#strings[view.getUint32(6, true)] ?? "");
      case 0x204:
      case 0xd6:
        return this.#set(row, column, this.#text(bytes, 6));
      case 0x203:
        return this.#set(row, column, this.#number(view.getFloat64(6, true), format));
      case 0x27e:
        return this.#set(row, column, this.#number(rkNumber(view, 6), format));
      case 0xbd:
        for (let at = 4, x = column; at + 6 <= bytes.length - 2; at += 6, x++)
          this.#set(row, x, this.#number(rkNumber(view, at + 2), view.getUint16(at, true)));
        return;
      case 0x205:
        return this.#set(row, column, booleanOrError(view.getUint8(6), view.getUint8(7) !== 0));
      default:
        return this.#formula(row, column, format, view);
    }
  }

  #formula(row: number, column: number, format: number, view: DataView) {
    if (view.getUint16(12, true) !== 0xffff)
      return this.#set(row, column, this.#number(view.getFloat64(6, true), format));
    const kind = view.getUint8(6);
    if (kind === 0) this.#pendingFormula = { row, column };
    else if (kind === 1 || kind === 2) this.#set(row, column, booleanOrError(view.getUint8(8), kind === 2));
  }

  #text(bytes: Uint8Array, at: number, lengthBytes: 1 | 2 = 2): string {
    return this.#isUnicode ? unicodeString(bytes, at, lengthBytes) : byteString(bytes, at, lengthBytes, this.#codePage);
  }

  #number(value: number, cellFormat: number): string {
    if (!Number.isFinite(value)) return "";
    const id = this.#cellFormats[cellFormat] ?? 0;
    return getOrCreate(this.#formats, id, () => builtInFormat(id)).text(value, this.#epoch1904);
  }

  #set(row: number, column: number, text: string): void {
    if (column >= MAX_COLUMNS || this.#sheet === null || this.remainingCells <= 0) return;
    const value = text.replace(/\s+/g, " ").trim();
    if (value === "") return;
    this.remainingCells--;
    const { rows } = this.#sheet;
    while (rows.length <= row) rows.push([]);
    const cells = rows[row]!;
    while (cells.length <= column) cells.push("");
    cells[column] = value;
  }
}

const CELL_RECORDS = new Set([0xfd, 0x204, 0xd6, 0x203, 0x27e, 0xbd, 0x205, 0x06, 0x206, 0x406]);

/** The text of a text box in its continuation records, each of which begins with its character width. */
function boxText({ parts }: BiffRecord, length: number): string {
  let text = "";
  for (const part of parts) {
    const isWide = ((part[0] ?? 0) & 1) !== 0;
    if (text.length < length) text += decodeCharacters(part.subarray(1), isWide).slice(0, length - text.length);
  }
  return text.trim();
}

/** RK numbers take four bytes: an integer or the upper half of a double, possibly in hundredths. */
function rkNumber(view: DataView, at: number): number {
  const raw = view.getInt32(at, true);
  let value = raw >> 2;
  if ((raw & 2) === 0) {
    const double = new DataView(new ArrayBuffer(8));
    double.setInt32(4, raw & ~3, true);
    value = double.getFloat64(0, true);
  }
  return (raw & 1) === 0 ? value : value / 100;
}

function booleanOrError(value: number, isError: boolean): string {
  if (isError) return ERRORS.get(value) ?? "#ERROR!";
  return value === 0 ? "FALSE" : "TRUE";
}
