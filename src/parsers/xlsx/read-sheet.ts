import { MAX_SHEET_COLUMN, MAX_SHEET_ROW } from "../../domain/cell-limits.js";
import type { CellValue } from "../../interfaces/block.js";
import { getOrCreate } from "../../util/get-or-create.js";
import type { FormattedNumber, NumberFormat } from "../shared/ooxml/number-format.js";
import { isOn } from "../shared/ooxml/on-off.js";
import { scanXml, type XmlScanHandler } from "../shared/xml/scan-xml.js";
import { attributeOf } from "../shared/xml/xml-attributes.js";
import { type CellRange, parseCellRange, parseCellReference } from "./cell-reference.js";
import { unescapeText } from "./escaped-text.js";

/** A non-empty cell. */
export interface Cell {
  /** From 1. */
  readonly column: number;
  text: string;
  /** Whether the value is text rather than a number, a date or a boolean. */
  readonly isText: boolean;
  /** The value if the cell is displayed in another form; otherwise `null`. */
  readonly value: CellValue;
  /** Set if the cell only repeats the first cell of a merged range, which this is. */
  readonly repeats?: Cell;
}

export interface Row {
  /** From 1. */
  readonly number: number;
  /** The non-empty cells, from left to right. */
  readonly cells: Cell[];
}

/** The content of a worksheet. */
export interface Sheet {
  rows: Row[];
  readonly merges: CellRange[];
  readonly links: { readonly range: CellRange; readonly id: string }[];
  hasHiddenCells: boolean;
  /** The number of formulas stored without a value. */
  uncalculatedFormulaCount: number;
  /** The print headers with their formatting codes. */
  readonly headers: string[];
  /** The print footers with their formatting codes. */
  readonly footers: string[];
}

/** The context shared by the cells of all sheets. */
export interface CellContext {
  readonly strings: readonly string[];
  /** Number formats by cell style. */
  readonly formats: readonly NumberFormat[];
  /** Whether dates count from 1904. */
  readonly usesEpoch1904: boolean;
  /**
   * Counts a non-empty cell with the characters of its text.
   *
   * @throws `limit_exceeded`
   */
  countCell(characters: number): void;
}

const MAX_MERGES = 100_000;
const MAX_LINKS = 100_000;

/** Reads the cells of a worksheet. Skips cells that have only formatting. */
export async function readSheet(
  bytes: Uint8Array,
  context: CellContext,
  signal: AbortSignal | undefined,
): Promise<Sheet> {
  const reader = new SheetReader(context);
  await scanXml(bytes, reader, signal);
  const { sheet } = reader;
  // Some applications write rows in any order, or split a row.
  if (sheet.rows.some((row, i) => i > 0 && sheet.rows[i - 1]!.number >= row.number)) sheet.rows = joinRows(sheet.rows);
  return sheet;
}

class SheetReader implements XmlScanHandler {
  readonly sheet: Sheet = {
    rows: [],
    merges: [],
    links: [],
    hasHiddenCells: false,
    uncalculatedFormulaCount: 0,
    headers: [],
    footers: [],
  };
  readonly #context: CellContext;
  #row: Row = { number: 0, cells: [] };
  #column = 0;
  #type = "n";
  #style = 0;
  #value = "";
  #formula = "";
  #hasFormula = false;
  #isPhonetic = false;
  /** The element whose text is read; `null` if the text is ignored. */
  #currentElement: "v" | "f" | "t" | "header" | "footer" | null = null;
  #headerOrFooter = "";

  constructor(context: CellContext) {
    this.#context = context;
  }

  open(name: string, attributes: string): void {
    if (name === "c") this.#openCell(attributes);
    else if (name === "v" || name === "f") this.#currentElement = name;
    else if (name === "t") this.#currentElement = this.#isPhonetic ? null : "t";
    else if (name === "row") this.#openRow(attributes);
    else if (name === "rPh") this.#isPhonetic = true;
    else if (name === "mergeCell") this.#addMerge(attributes);
    else if (name === "hyperlink") this.#addLink(attributes);
    else if (name === "col" && isOn(attributeOf(attributes, "hidden"))) this.sheet.hasHiddenCells = true;
    else if (/^(?:odd|even|first)(?:Header|Footer)$/.test(name)) {
      this.#currentElement = name.endsWith("Header") ? "header" : "footer";
      this.#headerOrFooter = "";
    }
    if (name === "f") this.#hasFormula = true;
  }

  close(name: string): void {
    if (name === "c") this.#closeCell();
    else if (name === "rPh") this.#isPhonetic = false;
    else if (this.#currentElement === "header" && this.#headerOrFooter !== "")
      this.sheet.headers.push(this.#headerOrFooter);
    else if (this.#currentElement === "footer" && this.#headerOrFooter !== "")
      this.sheet.footers.push(this.#headerOrFooter);
    this.#currentElement = null;
  }

  text(piece: string): void {
    if (this.#currentElement === null) return;
    if (this.#currentElement === "f") this.#formula += piece;
    else if (this.#currentElement === "header" || this.#currentElement === "footer") this.#headerOrFooter += piece;
    else this.#value += piece;
  }

  #openRow(attributes: string): void {
    const declared = Number(attributeOf(attributes, "r"));
    const number = declared >= 1 && declared <= MAX_SHEET_ROW ? declared : this.#row.number + 1;
    if (isOn(attributeOf(attributes, "hidden"))) this.sheet.hasHiddenCells = true;
    this.#row = { number, cells: [] };
    this.#column = 0;
  }

  #openCell(attributes: string): void {
    const reference = attributeOf(attributes, "r");
    const position = reference === undefined ? null : parseCellReference(reference);
    this.#column = position?.column ?? this.#column + 1;
    this.#type = attributeOf(attributes, "t") ?? "n";
    this.#style = Number(attributeOf(attributes, "s") ?? 0);
    this.#value = "";
    this.#formula = "";
    this.#hasFormula = false;
  }

  #closeCell(): void {
    let { text, isText, value } = this.#readValue();
    if (text === "" && this.#hasFormula && this.#type !== "str") {
      this.sheet.uncalculatedFormulaCount++;
      text = this.#formula === "" ? "" : `=${this.#formula}`;
      isText = false;
      value = null;
    }
    if (text === "" || this.#column > MAX_SHEET_COLUMN) return;
    this.#context.countCell(text.length);
    if (this.#row.cells.length === 0) this.sheet.rows.push(this.#row);
    this.#row.cells.push({ column: this.#column, text, isText, value });
  }

  #readValue(): Pick<Cell, "text" | "isText" | "value"> {
    const raw = this.#value;
    switch (this.#type) {
      case "s":
        return { text: (this.#context.strings[Number(raw)] ?? "").trim(), isText: true, value: null };
      case "str":
      case "inlineStr":
        return { text: unescapeText(raw).trim(), isText: true, value: null };
      case "b":
        return readBoolean(raw.trim());
      case "e":
        return { text: raw.trim(), isText: false, value: null };
      case "d":
        return {
          text: raw
            .trim()
            .replace(/T00:00:00(?:\.0+)?Z?$/, "")
            .replace("T", " "),
          isText: false,
          value: null,
        };
      default:
        return { ...this.#formatNumber(raw.trim()), isText: false };
    }
  }

  #formatNumber(raw: string): FormattedNumber {
    const value = Number(raw);
    const format = this.#context.formats[this.#style];
    if (raw === "" || !Number.isFinite(value) || format === undefined) return { text: raw, value: null };
    return format.format(value, this.#context.usesEpoch1904);
  }

  #addMerge(attributes: string): void {
    const range = parseCellRange(attributeOf(attributes, "ref") ?? "");
    if (range !== null && this.sheet.merges.length < MAX_MERGES) this.sheet.merges.push(range);
  }

  #addLink(attributes: string): void {
    const range = parseCellRange(attributeOf(attributes, "ref") ?? "");
    const id = /\s[\w.-]+:id\s*=\s*["']([^"']*)/.exec(attributes)?.[1];
    if (range !== null && id !== undefined && this.sheet.links.length < MAX_LINKS) this.sheet.links.push({ range, id });
  }
}

function readBoolean(raw: string): Pick<Cell, "text" | "isText" | "value"> {
  if (raw === "") return { text: "", isText: false, value: null };
  return { text: raw === "1" ? "TRUE" : "FALSE", isText: false, value: raw === "1" };
}

function joinRows(rows: readonly Row[]): Row[] {
  const byNumber = new Map<number, Row>();
  for (const { number, cells } of rows)
    getOrCreate(byNumber, number, () => ({ number, cells: [] })).cells.push(...cells);
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}
