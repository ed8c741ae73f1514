import type { Block } from "../../interfaces/block.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { itemText } from "../shared/office/outside-sections.js";
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
    (cell) => readCell(walk, cell),
    (blocks) => blocks.reduce((length, block) => length + block.text.length, 0),
    walk.context.repeatBudget,
  );
  if (isTruncated) walk.context.warnings.add("A table repeats too many cells; its last rows were skipped.");
  const width = Math.max(0, ...rows.slice(0, 1000).map((row) => row.length));
  const cells = new Set(rows.flat());
  if (width <= 1) {
    for (const cell of cells) for (const block of cell ?? []) walk.addBlock(block);
    return;
  }
  const texts = rows
    .map((row) => Array.from(row, (cell) => (cell === undefined ? "" : cellText(cell))))
    .filter((row) => row.some((text) => text !== ""));
  const { header, body } = splitHeader(texts, headerRowCount);
  walk.list.table(header, body, walk.pageDetail());
  for (const cell of cells) for (const block of cell ?? []) if (isSeparateBlock(block)) walk.addBlock(block);
}

/**
 * Splits rows into header and body. Joins up to three header rows, as in `Year / 2025`. If there is no header row, the
 * first row becomes the header, which Markdown requires.
 */
export function splitHeader(
  rows: readonly (readonly string[])[],
  headerRowCount: number,
): { header: readonly string[]; body: readonly (readonly string[])[] } {
  const count = Math.min(Math.max(1, headerRowCount), 3, rows.length);
  const header = rows.slice(0, count);
  const width = Math.max(0, ...header.map((row) => row.length));
  return { header: joinHeaderRows(header, width), body: rows.slice(count) };
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
