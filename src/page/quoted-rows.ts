import { parseFence } from "../util/code-fence.js";

/** Lines that each are a row of a table. */
const ROWS = /^\|.*\|(?:\n\|.*\|)*$/;
/** What stands below the head of a table. */
const RULE = /^\|(?: *:?-+:? *\|)+ *$/m;

/**
 * Completes the rows of tables that an answer quotes without their heads to tables of Markdown. Rows of the same table
 * that follow one another become one table.
 *
 * @param findHead Returns the head of the table that a row is from; `null` if it isn't known, for an empty head.
 */
export function completeTables(text: string, findHead: (row: string) => string | null): string {
  let completed = "";
  let fence = "";
  let head: string | null = null;
  const parts = text.split(/(\n{2,})/);
  for (let index = 0; index < parts.length; index += 2) {
    const block = parts[index]!;
    const separator = parts[index - 1] ?? "";
    const isRows = fence === "" && ROWS.test(block) && !RULE.test(block);
    const found = isRows ? findHead(firstLine(block)) : null;
    if (!isRows) completed += separator + block;
    else if (found !== null && found === head) completed += `\n${block}`;
    else completed += `${separator}${found ?? emptyHead(block)}\n${block}`;
    head = found;
    fence = fenceAfter(block, fence);
  }
  return completed;
}

/** The head of a table in Markdown: a row of a passage, and the line below it. */
export function findTableHead(passage: string, row: string): string | null {
  const lines = passage.slice(0, Math.max(0, passage.indexOf(row))).split("\n");
  const rule = lines.findLastIndex((line) => RULE.test(line));
  const isSameTable = rule > 0 && lines.slice(rule - 1, -1).every((line) => ROWS.test(line));
  return isSameTable ? `${lines[rule - 1]}\n${lines[rule]}` : null;
}

/** The head of the table that a row is from, in whichever of the passages has it. */
export function findHeadIn(passages: readonly { readonly text: string }[], row: string): string | null {
  return passages.reduce<string | null>((head, { text }) => head ?? findTableHead(text, row), null);
}

function emptyHead(rows: string): string {
  const columns = firstLine(rows).split(/(?<!\\)\|/).length - 2;
  return `${"| ".repeat(columns)}|\n${"| --- ".repeat(columns)}|`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

/** The marks of the code block that is open after a text; empty for none. */
function fenceAfter(text: string, open: string): string {
  let fence = open;
  for (const line of text.split("\n")) {
    const found = parseFence(line);
    if (!found) continue;
    if (fence === "") fence = found.delimiter;
    else if (found.canClose && found.delimiter.startsWith(fence)) fence = "";
  }
  return fence;
}
