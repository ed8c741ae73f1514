import { getOrCreate } from "../../util/get-or-create.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** The maximum number of columns or rows of a spanning cell. Without it, one attribute could exhaust the memory. */
const MAX_SPAN = 1_000;
const MAX_COLUMNS = 16_384;
/** The initial {@link RepeatBudget} of a document. */
export const MAX_REPEATED_CHARACTERS = 5_000_000;

/** What repeated and spanning cells of one document may still cost: their characters, and a fixed cost for each. */
export interface RepeatBudget {
  remaining: number;
}

/** The fixed cost of a cell, in addition to the characters of its text. */
const CELL_COST = 8;

/**
 * The cells of a table by row and column. A cell that spans several rows or columns is the same object in each; a
 * repeated cell is a copy. Blank rows are empty arrays.
 */
export interface TableGrid<Cell> {
  readonly rows: readonly (readonly (Cell | undefined)[])[];
  /** The position of each row in the table, from 0, with all repeated blank rows. */
  readonly positions: readonly number[];
  readonly headerRowCount: number;
  /** Whether rows were skipped because the table has too many cells. */
  readonly isTruncated: boolean;
}

/** How to read the cells of a table. */
export interface CellReader<Cell> {
  /** Reads the content of a cell, once for each element. Returns `undefined` for an empty cell. */
  read(cell: XmlElement): Cell | undefined;
  /** Returns the length of a cell's text. */
  lengthOf(cell: Cell): number;
  copy(cell: Cell): Cell;
}

/** Elements that group rows. */
const ROW_GROUPS = new Set(["table:table-header-rows", "table:table-rows", "table:table-row-group"]);

/**
 * Lays out the cells of a `table:table`. Expands repeated rows and columns, but repeated blank rows only once, and
 * repeated blank columns only before another cell.
 *
 * @param budget Reduced by the cost of repeated and spanning cells.
 */
export function layOutTable<Cell>(table: XmlElement, reader: CellReader<Cell>, budget: RepeatBudget): TableGrid<Cell> {
  const layout = new Layout(reader, budget);
  const isTruncated = !rowsOf(table).every(({ element, isHeader }) => layout.addRow(element, isHeader));
  const { grid, height, positions, headerRowCount } = layout;
  return { rows: grid.slice(0, height), positions, headerRowCount, isTruncated };
}

class Layout<Cell> {
  readonly grid: (Cell | undefined)[][] = [];
  readonly positions: number[] = [];
  height = 0;
  headerRowCount = 0;
  readonly #reader: CellReader<Cell>;
  readonly #budget: RepeatBudget;
  /** The number of rows so far, with all repeated blank rows. */
  #rowCount = 0;

  constructor(reader: CellReader<Cell>, budget: RepeatBudget) {
    this.#reader = reader;
    this.#budget = budget;
  }

  /** Adds a row. Returns false if the budget is exhausted. */
  addRow(row: XmlElement, isHeader: boolean): boolean {
    const y = this.height;
    const cells = this.#rowAt(y);
    this.#fillRow(row, y);
    this.height++;
    this.positions.push(this.#rowCount);
    if (isHeader) this.headerRowCount = this.height;
    const extraRowCount = Math.max(0, integer(row.attributes["table:number-rows-repeated"], 1) - 1);
    if (cells.some((cell) => cell !== undefined)) {
      const cost = cells.reduce((sum, cell) => sum + (cell === undefined ? 0 : this.#costOf(cell)), cells.length);
      for (let i = 1; i <= extraRowCount && this.#spend(cost); i++) {
        this.grid[this.height++] = this.#copyRow(cells);
        this.positions.push(this.#rowCount + i);
      }
    }
    this.#rowCount += 1 + extraRowCount;
    return this.#spend(Math.max(0, cells.length - row.children.length));
  }

  #fillRow(row: XmlElement, y: number): void {
    const cells = this.#rowAt(y);
    let x = 0;
    for (const cell of childElements(row)) {
      const isCovered = cell.name === "table:covered-table-cell";
      if (!isCovered && cell.name !== "table:table-cell") continue;
      const repeatCount = countAttribute(cell, "columns-repeated", MAX_COLUMNS);
      const content = isCovered ? undefined : this.#reader.read(cell);
      if (content !== undefined) {
        // Some applications omit the cells that a spanning cell covers.
        while (cells[x] !== undefined) x++;
        if (x >= MAX_COLUMNS) return;
        const spanCount = countAttribute(cell, "columns-spanned", MAX_SPAN);
        const columnSpan = Math.min(MAX_SPAN, Math.max(repeatCount, spanCount));
        const rowSpan = countAttribute(cell, "rows-spanned", MAX_SPAN);
        for (let down = 0; down < rowSpan; down++) {
          if (!this.#spend((down === 0 ? columnSpan - 1 : columnSpan) * this.#costOf(content))) break;
          const target = this.#rowAt(y + down);
          for (let right = 0; right < columnSpan; right++)
            target[x + right] ??= right < spanCount ? content : this.#reader.copy(content);
        }
      }
      x += repeatCount;
    }
  }

  #copyRow(cells: readonly (Cell | undefined)[]): (Cell | undefined)[] {
    const copies = new Map<Cell, Cell>();
    return Array.from(cells, (cell) =>
      cell === undefined ? undefined : getOrCreate(copies, cell, () => this.#reader.copy(cell)),
    );
  }

  #rowAt(y: number): (Cell | undefined)[] {
    this.grid[y] ??= [];
    return this.grid[y];
  }

  #costOf(cell: Cell): number {
    return CELL_COST + this.#reader.lengthOf(cell);
  }

  /** Reduces the budget. Returns false if it is exhausted. */
  #spend(cost: number): boolean {
    this.#budget.remaining -= cost;
    return this.#budget.remaining >= 0;
  }
}

/** Returns the value of an attribute that counts columns or rows, at least 1. */
function countAttribute(
  cell: XmlElement,
  name: "columns-repeated" | "columns-spanned" | "rows-spanned",
  max: number,
): number {
  return Math.min(max, Math.max(1, integer(cell.attributes[`table:number-${name}`], 1)));
}

interface Row {
  readonly element: XmlElement;
  readonly isHeader: boolean;
}

function rowsOf(table: XmlElement, isHeader = false): Row[] {
  return childElements(table).flatMap((element) => {
    if (element.name === "table:table-row") return { element, isHeader };
    return ROW_GROUPS.has(element.name) ? rowsOf(element, isHeader || element.name === "table:table-header-rows") : [];
  });
}
