import { join } from "node:path";
import { parseFile } from "#dist/parse.js";
import type { BlockTable } from "../../src/parse.js";
import type { PrintedDocument } from "./documents.js";
import { mergedCells } from "./tables.js";

/**
 * Says which share of the merged cells was found in its place and with its size, and which share of those found is
 * right, since the tables of Markdown have no merged cells.
 */
export async function scoreMergedCells(documents: readonly PrintedDocument[], folder: string): Promise<string> {
  const totals = { printed: 0, found: 0, right: 0 };
  const wrong: string[] = [];
  for (const { name, layout, blocks } of documents) {
    const printed = blocks.flatMap((block) => (block.kind === "table" ? mergedCells(block) : []));
    const { blocks: parsed } = await parseFile(join(folder, `${name}.pdf`));
    const found = parsed.flatMap(({ table }) => (table === undefined ? [] : foundCells(table)));
    // The tables of a document may have the same name in the same place.
    const rest = printed.map(keyOf);
    const right = found.filter((cell) => {
      const at = rest.indexOf(keyOf(cell));
      if (at !== -1) rest.splice(at, 1);
      return at !== -1;
    }).length;
    totals.printed += printed.length;
    totals.found += found.length;
    totals.right += right;
    if (right < printed.length || right < found.length)
      wrong.push(`${name} (${layout.table}) ${printed.length - right} missed, ${found.length - right} wrong`);
  }
  const { printed, found, right } = totals;
  return [
    `merged     recall ${share(right, printed)}   precision ${share(right, found)}   ${printed} merged cells`,
    ...(wrong.length === 0 ? [] : [`not all of: ${wrong.join(", ")}`]),
  ].join("\n");
}

type MergedCell = ReturnType<typeof mergedCells>[number];

function foundCells({ header, headerRows = [header], rows, spans = [] }: BlockTable): MergedCell[] {
  const grid = [...headerRows, ...rows];
  return spans.map((span) => ({ ...span, text: grid[span.row]![span.column]! }));
}

function keyOf({ row, column, rows, columns, text }: MergedCell): string {
  return [row, column, rows, columns, text].join("\n");
}

function share(part: number, whole: number): string {
  return whole === 0 ? "     -" : (part / whole).toFixed(4);
}
