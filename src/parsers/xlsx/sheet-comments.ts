import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { child, childElements, descendants, textContent } from "../shared/xml/xml-tree.js";
import { unescaped } from "./escaped-text.js";

/** Text that older applications show instead of a comment thread. */
const FALLBACK = /^\[Threaded comment\]/;

/** The comments on a sheet's cells, each with the cell's reference: `B2: text`. */
export function sheetComments(office: OfficePackage, sheet: string): string[] {
  const notes: string[] = [];
  const threads = office.relatedParts(sheet, "threadedComment");
  for (const part of office.relatedParts(sheet, "comments")) {
    for (const comment of childElements(child(office.xml(part), "commentList"), "comment")) {
      const runs = [...descendants(child(comment, "text"), "t")].map(textContent);
      const text = unescaped(runs.join("")).trim();
      if (text !== "" && !(threads.length > 0 && FALLBACK.test(text))) notes.push(note(comment.attributes.ref, text));
    }
  }
  for (const part of threads) {
    for (const comment of childElements(office.xml(part), "threadedComment")) {
      const text = textContent(child(comment, "text")).trim();
      if (text !== "") notes.push(note(comment.attributes.ref, text));
    }
  }
  return notes;
}

function note(cell: string | undefined, text: string): string {
  return cell === undefined ? text : `${cell}: ${text}`;
}
