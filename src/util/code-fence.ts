/** A line of a fence of code: quote and list marks, three or more backticks or tildes, and what follows them. */
const FENCE = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*(`{3,}|~{3,})(.*)$/;

/** The fence that a line begins or ends code with; `null` if there is none. Only a bare fence can end code. */
export function fenceOf(line: string): { readonly marks: string; readonly isBare: boolean } | null {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (marks === "" || (marks.startsWith("`") && rest.includes("`"))) return null;
  return { marks, isBare: rest.trim() === "" };
}

/** Whether text that follows on the same line would keep a block of code open. */
export function endsWithFence(line: string): boolean {
  return fenceOf(line)?.isBare === true;
}
