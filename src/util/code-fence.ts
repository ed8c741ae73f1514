/** A line with a code fence: quote and list marks, three or more backticks or tildes, and the rest of the line. */
const FENCE = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*(`{3,}|~{3,})(.*)$/;

/** Returns the code fence in a line; `null` if there is none. Only a bare fence can end a code block. */
export function fenceOf(line: string): { readonly marks: string; readonly isBare: boolean } | null {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (marks === "" || (marks.startsWith("`") && rest.includes("`"))) return null;
  return { marks, isBare: rest.trim() === "" };
}

/** Returns whether a line ends with a bare code fence: text after it on the same line would keep the block open. */
export function endsWithFence(line: string): boolean {
  return fenceOf(line)?.isBare === true;
}
