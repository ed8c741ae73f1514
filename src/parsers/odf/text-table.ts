import type { Block, BlockTable } from "../../interfaces/block.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { itemText } from "../shared/office/outside-sections.js";
import { findSpans } from "../shared/tables/find-spans.js";
import { joinHeaderRows } from "../shared/tables/join-header-rows.js";
import { child, childElements, type XmlElement, type XmlNode } from "../shared/xml/xml-tree.js";
import { layOutTable, type RepeatBudget } from "./table-grid.js";

/** What a table needs of the `TextWalk` that found it. */
export interface CellWalk {
  readonly context: { readonly repeatBudget: RepeatBudget; readonly warnings: Set<string> };
  readonly list: BlockList;
  /** Returns a walk with separate blocks, for the content of a cell. */
  createInner(): CellWalk;
  addNodes(nodes: readonly XmlNode[]): void;
  addBlock(block: Block): void;
  pageDetail(): Pick<Block, "page">;
}

/**
 * Adds a table of a text or slide. Tables and notes within its cells follow as separate blocks. A table of one column
 * is treated as layout: the content of its cells is added directly.
 */
export function addTable(walk: CellWalk, table: XmlElement): void {
  const { rows, headerRowCount, isTruncated } = layOutTable(
    table,
    {
      read: (cell) => readCell(walk, cell),
      lengthOf: (blocks) => blocks.reduce((length, block) => length + block.text.length, 0),
      copy: (blocks) => [...blocks],
    },
    walk.context.repeatBudget,
  );
  if (isTruncated) walk.context.warnings.add("A table repeats too many cells; its last rows were skipped.");
  const width = Math.max(0, ...rows.slice(0, 1000).map((row) => row.length));
  // Copies of a cell have the same blocks.
  const blocks = new Set(rows.flat().flatMap((cell) => cell ?? []));
  if (width <= 1) {
    for (const block of blocks) walk.addBlock(block);
    return;
  }
  const filledRows = rows.filter((row) => row.some((cell) => cell !== undefined && cellText(cell) !== ""));
  const texts = filledRows.map((row) => Array.from(row, (cell) => (cell === undefined ? "" : cellText(cell))));
  const { header, headerRows, body } = splitHeader(texts, headerRowCount);
  walk.list.table(header, body, { ...walk.pageDetail(), table: { headerRows, spans: findSpans(filledRows) } });
  for (const block of blocks) if (isSeparateBlock(block)) walk.addBlock(block);
}

/**
 * Splits rows into header and body. Joins up to three header rows, as in `Year / 2025`. If there is no header row, the
 * first row becomes the header, which Markdown requires.
 */
export function splitHeader(
  rows: readonly (readonly string[])[],
  headerRowCount: number,
): Pick<BlockTable, "header"> & { readonly headerRows: BlockTable["rows"]; readonly body: BlockTable["rows"] } {
  const count = Math.min(Math.max(1, headerRowCount), 3, rows.length);
  const headerRows = rows.slice(0, count);
  const width = Math.max(0, ...headerRows.map((row) => row.length));
  return { header: joinHeaderRows(headerRows, width), headerRows, body: rows.slice(count) };
}

function readCell(walk: CellWalk, cell: XmlElement): readonly Block[] | undefined {
  const inner = walk.createInner();
  // The content of a split cell is a table.
  const subTable = childElements(cell, "table:table").find(
    ({ attributes }) => attributes["table:is-sub-table"] === "true",
  );
  inner.addNodes(subTable === undefined || child(cell, "text:p") !== undefined ? cell.children : [subTable]);
  return inner.list.blocks.length === 0 ? undefined : inner.list.blocks;
}

function isSeparateBlock(block: Block): boolean {
  return block.kind === "table" || block.kind === "note" || block.text === "";
}

function cellText(blocks: readonly Block[]): string {
  const parts = blocks.filter((block) => !isSeparateBlock(block)).map(itemText);
  return parts.join(" ").replace(/\s+/g, " ").trim();
}
