import type { Block } from "../../../interfaces/block.js";
import { BlockList } from "../blocks/block-list.js";
import { rowsToGrid, type TableRow } from "../tables/rows-to-grid.js";

/** The formatting of a paragraph. */
export interface ParagraphFormat {
  /** The heading level, from 1; `null` if the paragraph is not a heading. */
  readonly headingLevel: number | null;
  /** List level, from 0; `null` outside lists. */
  readonly listLevel: number | null;
  /** Nesting depth of tables; 0 outside tables. */
  readonly tableDepth: number;
  /** Whether the first line begins further left than the others. */
  readonly isHanging: boolean;
  /** Indent in twentieths of a point. */
  readonly indent: number;
}

/** A row's layout, which a file may describe before or after the row's cells. */
export type RowLayout = Pick<TableRow, "edges" | "merges" | "isHeader">;

interface OpenTable {
  readonly rows: TableRow[];
  /** The texts of the cells of the open row. */
  cells: string[];
  /** The paragraphs of the open cell. */
  lines: string[];
}

const BULLET_PATTERN = /^(?:[•·◦▪■●○‣⁃–\-*§]|o|\ud83d\udf84|[\uf000-\uf0ff])$/;
/** Matches a marker that the author typedMatch before the text of a list item. */
const TYPED_MARKER_PATTERN = /^([•·◦▪‣–-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,5})[.)])[ ]?\t\s*(?=\S)/i;

/** Returns the URL of a HYPERLINK field; `undefined` for any other instruction. */
export function hyperlinkUrl(instruction: string): string | undefined {
  return /^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"?([^"\s]+)/i.exec(instruction)?.[1];
}

/** Builds the blocks of one sequence of paragraphs and tables: the body, a note, a header, a text box. */
export class ParagraphFlow {
  readonly list = new BlockList();
  text = "";
  marker = "";
  // The text before each open run, joined only once so that long text isn't copied.
  readonly #textBeforeRuns: string[] = [];
  /** Blocks anchored in the current paragraph, to be added after it. */
  readonly #anchored: Block[] = [];
  readonly #tables: OpenTable[] = [];

  /** Adds blocks after the current paragraph or table. */
  attach(blocks: readonly Block[]): void {
    for (const block of blocks) this.#anchored.push(block);
  }

  /** Starts a run within the paragraph, such as a field's result; returns its id for `endRun`. */
  beginRun(): number {
    this.#textBeforeRuns.push(this.text);
    this.text = "";
    return this.#textBeforeRuns.length;
  }

  /** Ends a run, and all runs within it, and replaces its text, except text in earlier paragraphs. */
  endRun(id: number, change: (text: string) => string): void {
    if (this.#textBeforeRuns.length < id) return;
    this.text = change(this.text);
    while (this.#textBeforeRuns.length >= id) this.text = this.#textBeforeRuns.pop() + this.text;
  }

  endParagraph(format: ParagraphFormat): void {
    const { text, marker } = this.#takeParagraph();
    this.#closeTables(format.tableDepth);
    while (this.#tables.length < format.tableDepth) this.#tables.push({ rows: [], cells: [], lines: [] });
    const table = this.#tables.at(-1);
    if (table === undefined) {
      this.#addParagraph(text, marker, format);
      this.#addAnchored();
    } else if (text !== "") table.lines.push(marker === "" ? text : `${marker} ${text}`);
  }

  endCell(depth: number, format: ParagraphFormat): void {
    this.endParagraph({ ...format, tableDepth: depth });
    const table = this.#tables[depth - 1]!;
    table.cells.push(table.lines.join(" ").replace(/\s+/g, " ").trim());
    table.lines = [];
  }

  endRow(depth: number, layout: RowLayout): void {
    const table = this.#tables[depth - 1];
    if (table === undefined || table.cells.length === 0) return;
    table.rows.push({ cells: table.cells, ...layout });
    table.cells = [];
  }

  /** Ends all open paragraphs and tables. */
  end(format: ParagraphFormat): void {
    this.endParagraph({ ...format, tableDepth: this.text.trim() === "" ? 0 : format.tableDepth });
    this.#closeTables(0);
    this.#addAnchored();
  }

  #takeParagraph(): { text: string; marker: string } {
    const whole = this.#textBeforeRuns.length === 0 ? this.text : this.#textBeforeRuns.join("") + this.text;
    this.#textBeforeRuns.fill("");
    const text = whole.replace(/ *\n */g, "\n");
    const marker = this.marker.trim();
    this.text = "";
    this.marker = "";
    return { text: text.trim(), marker: BULLET_PATTERN.test(marker) ? "" : marker };
  }

  #addParagraph(text: string, marker: string, format: ParagraphFormat): void {
    const line = collapseSpaces(text);
    if (format.headingLevel !== null)
      this.list.heading(format.headingLevel, marker === "" ? line : `${marker} ${line}`);
    else if (format.listLevel !== null) this.#addItem(line, marker, format.listLevel + 1);
    else {
      const typedMatch = format.isHanging ? TYPED_MARKER_PATTERN.exec(text) : null;
      if (typedMatch === null) this.list.add("paragraph", line);
      else {
        const typedMarker = typedMatch[1]!;
        const level = Math.min(9, Math.max(1, Math.round(format.indent / 360)));
        const item = collapseSpaces(text.slice(typedMatch[0].length));
        this.#addItem(item, BULLET_PATTERN.test(typedMarker) ? "" : typedMarker, level);
      }
    }
  }

  #addItem(text: string, marker: string, level: number): void {
    this.list.add("list_item", text, { level, ...(marker === "" ? {} : { marker }) });
  }

  /** Ends the tables nested deeper than `depth`. A nested table follows the table that contains it. */
  #closeTables(depth: number): void {
    while (this.#tables.length > depth) {
      const table = this.#tables.pop()!;
      if (table.lines.length > 0) table.cells.push(table.lines.join(" "));
      if (table.cells.length > 0) table.rows.push({ cells: table.cells, edges: [], merges: [], isHeader: false });
      const blocks = tableBlocks(table.rows);
      if (this.#tables.length > 0) this.attach(blocks);
      else {
        for (const block of blocks) this.list.addBlock(block);
        this.#addAnchored();
      }
    }
  }

  #addAnchored(): void {
    if (this.#tables.length > 0) return;
    for (const block of this.#anchored.splice(0)) this.list.addBlock(block);
  }
}

/** Converts rows to a table, or to paragraphs if there is only one column, which is used for layout. */
function tableBlocks(rows: readonly TableRow[]): readonly Block[] {
  const list = new BlockList();
  const grid = rowsToGrid(rows).filter((row) => row.some((cell) => cell !== ""));
  if (grid.every((row) => row.length <= 1)) for (const row of grid) list.add("paragraph", row[0] ?? "");
  else list.table(grid[0] ?? [], grid.slice(1));
  return list.blocks;
}

function collapseSpaces(text: string): string {
  return text.replace(/[ \t]+/g, " ").trim();
}
