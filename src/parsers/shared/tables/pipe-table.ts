/** A GitHub Markdown table: one line for each row, line breaks in cells as spaces, pipes escaped. */
export function pipeTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [line(header), `| ${header.map(() => "---").join(" | ")} |`];
  for (const row of rows) lines.push(line(row));
  return lines.join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(" | ")} |`;
}

function cellText(cell: string): string {
  if (!/[|\s]/.test(cell)) return cell;
  return cell.replace(/\s+/g, " ").replace(/\\*\|/g, escapePipe).trim();
}

/** A pipe after an odd number of backslashes is already escaped. */
function escapePipe(match: string): string {
  return match.length % 2 === 0 ? match : `${match.slice(0, -1)}\\|`;
}
