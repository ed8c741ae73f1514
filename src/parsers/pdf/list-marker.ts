/** The marker of a list item: a bullet, or a number or letter with a dot or bracket. */
export const LIST_MARKER = /^(?:[•●○▪■□◦‣⁃➢➤✓✔·–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])(?=\s|$)\s*/;

/** The number or letter of an ordered item; `undefined` for a bullet. */
export function orderedMarker(text: string): string | undefined {
  return /^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)](?=\s|$)/.exec(text)?.[0];
}
