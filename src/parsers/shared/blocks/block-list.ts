import { MAX_SHEET_COLUMN, MAX_SHEET_ROW } from "../../../domain/cell-limits.js";
import type { Block, BlockKind, BlockTable, RowCells } from "../../../interfaces/block.js";
import { collapseWhitespace } from "../../../util/collapse-whitespace.js";
import { groupBy } from "../../../util/group-by.js";
import { lineStarts } from "../../../util/line-starts.js";
import { PARSE_LIMITS } from "../../limits.js";
import { unionOf } from "../../pdf/page/frame.js";
import { fileOverLimit } from "../errors/file-errors.js";
import { pipeTable } from "../tables/pipe-table.js";
import { escapeBlockSyntax } from "./escape-block-syntax.js";

type TableBlockDetails = Details &
  Pick<Block, "rowCells"> & { readonly rowPositions?: RowPositions; readonly table?: TableDetails };

type Details = Partial<
  Pick<Block, "page" | "bbox" | "continues" | "references" | "language" | "marker" | "level" | "times" | "readImage">
>;

/** Where the rows of a table stand: its header, then each row, in order. */
export type RowPositions = readonly Omit<NonNullable<Block["rowBoxes"]>[number], "from">[];

/** What a parser knows of a table besides its cells; `name` is replaced by a caption above the table. */
export type TableDetails = Pick<BlockTable, "name" | "headerRows" | "spans" | "values">;

/** A longer caption is a description rather than the table's name. */
const MAX_NAME_CHARACTERS = 200;

const NO_HEADINGS: readonly string[] = [];

/**
 * Collects blocks in reading order and sets the heading path of each. Every method that adds a block throws
 * `limit_exceeded` if there are more blocks or characters than a document may have.
 */
export class BlockList {
  readonly blocks: Block[] = [];
  readonly #openHeadings: { level: number; text: string }[] = [];
  // Shared by all blocks under one heading, to save memory.
  #path = NO_HEADINGS;
  #characterCount = 0;
  /** The captions since the last other block, unless they are below a table or image. */
  #captionsAbove: string[] = [];
  #awaitsCaption = false;

  /**
   * Adds a block, unless it has neither visible text nor an image to describe. What Markdown would take for the start of
   * another kind of block in its text is escaped, except in code, formulas and images.
   */
  add(kind: Exclude<BlockKind, "heading" | "table">, text: string, details: Details = {}): void {
    const isLiteral = kind === "code" || kind === "formula" || kind === "image";
    const escaped = isLiteral ? text : escapeBlockSyntax(text);
    const added = escaped.length - text.length;
    this.addMarkdown(kind, escaped, added === 0 ? details : shiftOffsets(details, added));
  }

  /** Like {@link add}, for text in which `# title` or `- item` at the start of a line means what it does in Markdown. */
  addMarkdown(kind: Exclude<BlockKind, "heading" | "table">, text: string, details: Details = {}): void {
    if (!/\S/.test(text) && details.readImage === undefined) return;
    this.#push({ kind, text, headingPath: this.#path, origin: "native", ...details });
  }

  /** Adds a heading and opens its section; `level` is clamped to 1 to 6. */
  heading(level: number, text: string, details: Details = {}): void {
    const title = collapseWhitespace(text);
    if (title === "") return;
    const clamped = Math.min(6, Math.max(1, Math.trunc(level) || 1));
    while (this.#openHeadings.length > 0 && this.#openHeadings.at(-1)!.level >= clamped) this.#openHeadings.pop();
    const headingPath = this.#openHeadings.map((heading) => heading.text);
    this.#push({ kind: "heading", text: title, headingPath, origin: "native", ...details, level: clamped });
    this.#openHeadings.push({ level: clamped, text: title });
    this.#path = [...headingPath, title];
  }

  /** Adds a table; the header is padded to the widest row. */
  table(
    header: readonly string[],
    rows: readonly (readonly string[])[],
    { rowPositions, rowCells, table = {}, ...details }: TableBlockDetails = {},
  ): void {
    let width = header.length;
    for (const row of rows) width = Math.max(width, row.length);
    if (width === 0) return;
    const paddedHeader = [...header, ...new Array<string>(width - header.length).fill("")];
    const text = pipeTable(paddedHeader, rows);
    if (!/[^\s|-]/.test(text)) return;
    this.#push({
      kind: "table",
      text,
      headingPath: this.#path,
      origin: "native",
      ...details,
      table: this.#tableOf(paddedHeader, rows, table),
      ...(rowPositions === undefined ? {} : rowsOnPages(text, rowPositions)),
      ...(rowCells === undefined || !areOnSheet(rowCells) ? {} : { rowCells }),
    });
  }

  #tableOf(header: readonly string[], rows: BlockTable["rows"], details: TableDetails): BlockTable {
    const { headerRows = [], spans = [], values = [] } = details;
    return {
      ...(details.name === undefined ? {} : { name: details.name }),
      ...tableName(this.#captionsAbove),
      header,
      ...(headerRows.length > 1 ? { headerRows } : {}),
      rows,
      ...(spans.length > 0 ? { spans } : {}),
      ...(values.some((row) => row.length > 0) ? { values } : {}),
    };
  }

  /**
   * Adds the blocks of another document under the open heading, without their positions. The levels of its headings are
   * shifted so that the highest becomes `level`.
   */
  append(blocks: readonly Block[], level: number): void {
    const topLevel = blocks.reduce(
      (min, block) => (block.kind === "heading" ? Math.min(min, block.level ?? 1) : min),
      6,
    );
    for (const placed of blocks) {
      const {
        page: _page,
        bbox: _bbox,
        continues: _,
        references: _references,
        rowBoxes: _boxes,
        rowCells: _cells,
        headingPath: _path,
        ...block
      } = placed;
      if (block.kind === "heading") this.heading((block.level ?? 1) - topLevel + level, block.text);
      else this.#push({ ...block, headingPath: this.#path });
    }
  }

  /** Adds a block of another list under the open heading. */
  addBlock(block: Block): void {
    const { kind, level = 1, text, page } = block;
    if (kind === "heading") this.heading(level, text, page === undefined ? {} : { page });
    else this.#push({ ...block, headingPath: this.#path });
  }

  #push(block: Block): void {
    const { maxBlocks, maxCharacters } = PARSE_LIMITS;
    this.#characterCount += block.text.length + (block.marker?.length ?? 0);
    for (const { text } of block.references ?? []) this.#characterCount += text.length;
    if (this.#characterCount > maxCharacters)
      throw fileOverLimit(null, `has more than the ${maxCharacters} characters of text allowed.`);
    if (this.blocks.length === maxBlocks)
      throw fileOverLimit(null, `has more than the ${maxBlocks} paragraphs, headings and tables allowed.`);
    this.blocks.push(block);
    this.#noteCaption(block);
  }

  /** A caption belongs to the table or image before it, unless that has one above; otherwise to what follows. */
  #noteCaption({ kind, text }: Block): void {
    if (kind === "caption") {
      if (!this.#awaitsCaption) this.#captionsAbove.push(text);
      return;
    }
    this.#awaitsCaption = (kind === "table" || kind === "image") && this.#captionsAbove.length === 0;
    this.#captionsAbove = [];
  }
}

/** Returns the name of a table by its captions: the first, unless that is empty or a description. */
export function tableName(captions: readonly string[]): Pick<TableDetails, "name"> {
  const name = collapseWhitespace(captions[0] ?? "");
  return name === "" || name.length > MAX_NAME_CHARACTERS ? {} : { name };
}

/** Whether a sheet can have the cells: a file may repeat blank rows or columns beyond the last one. */
function areOnSheet({ columns, headerRows = [1, 1], rows }: RowCells): boolean {
  return columns[1] <= MAX_SHEET_COLUMN && [...headerRows, ...rows].every((row) => row <= MAX_SHEET_ROW);
}

/** Adds the offsets of rows to their positions, and where the table continues on further pages. */
function rowsOnPages(text: string, positions: RowPositions): Pick<Block, "rowBoxes" | "continues"> {
  const starts = lineStarts(text);
  // The second line only separates the header from the rows.
  starts.splice(1, 1);
  const rowBoxes = positions.map((position, i) => ({ ...position, from: starts[i]! }));
  const pages = [...groupBy(rowBoxes, ({ page }) => page).entries()].slice(1);
  const continues = pages.map(([page, rows]) => ({
    page,
    bbox: unionOf(rows.map(({ bbox }) => bbox)),
    from: rows[0]!.from,
  }));
  return { rowBoxes, ...(continues.length === 0 ? {} : { continues }) };
}

/** Returns details whose offsets allow for the characters that were inserted in the first words of the text. */
function shiftOffsets({ continues, times, ...details }: Details, by: number): Details {
  const shifted = (offset: number): number => (offset === 0 ? 0 : offset + by);
  return {
    ...details,
    ...(continues && {
      continues: continues.map((each) => (each.from === undefined ? each : { ...each, from: shifted(each.from) })),
    }),
    ...(times && { times: times.map(([offset, seconds]) => [shifted(offset), seconds] as const) }),
  };
}
