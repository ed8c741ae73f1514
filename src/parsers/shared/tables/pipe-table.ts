/** Formats a GitHub Markdown table: a line for each row, with spaces for line breaks in cells, and pipes escaped. */
export function pipeTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [formatRow(header), `| ${header.map(() => "---").join(" | ")} |`];
  for (const row of rows) lines.push(formatRow(row));
  return lines.join("\n");
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(" | ")} |`;
}

function cellText(cell: string): string {
  if (!/[|\s]/.test(cell)) return cell;
  return cell.replace(/\s+/g, " ").replace(/\\*\|/g, escapePipe).trim();
}

/** Escapes a pipe, unless an odd number of backslashes already does. */
function escapePipe(match: string): string {
  return match.length % 2 === 0 ? match : `${match.slice(0, -1)}\\|`;
}
