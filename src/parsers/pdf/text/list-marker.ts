/** Matches the marker of a list item: a bullet, or a number or letter with a dot or bracket. */
export const LIST_MARKER_PATTERN = /^(?:[•●○▪■□◦‣⁃➢⮚➤✓✔·–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])(?=\s|$)\s*/;

/** Returns the marker of an ordered list item; `undefined` for other text. */
export function orderedMarker(text: string): string | undefined {
  return /^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)](?=\s|$)/.exec(text)?.[0];
}

/** Matches the bullet of a list item. */
export const BULLET_PATTERN = /^[•●○▪■□◦‣⁃➢⮚➤✓✔]\s/;
