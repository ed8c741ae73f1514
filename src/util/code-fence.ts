/** A line with a code fence: block quote and list markers, three or more backticks or tildes, and the info string. */
const FENCE = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*(`{3,}|~{3,})(.*)$/;

/**
 * Returns the code fence in a line; `null` if there is none. A fence with an info string can open a code block, but not
 * close one.
 */
export function parseFence(line: string): { readonly delimiter: string; readonly canClose: boolean } | null {
  const [, delimiter = "", infoString = ""] = FENCE.exec(line) ?? [];
  if (delimiter === "" || (delimiter.startsWith("`") && infoString.includes("`"))) return null;
  return { delimiter, canClose: infoString.trim() === "" };
}

/** Returns whether a line has a fence that can close a block: text after the fence would keep the block open. */
export function endsWithFence(line: string): boolean {
  return parseFence(line)?.canClose === true;
}
