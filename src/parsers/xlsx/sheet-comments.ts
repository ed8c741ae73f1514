import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { child, children, descendants, textOf } from "../shared/ooxml/xml-tree.js";
import { unescaped } from "./escaped-text.js";

/** What older readers are told in place of a thread. */
const STAND_IN = /^\[Threaded comment\]/;

/** The comments on a sheet's cells, each with the cell's name: `B2: text`. */
export function sheetComments(office: OfficePackage, sheet: string): string[] {
  const notes: string[] = [];
  const threads = office.relatedParts(sheet, "threadedComment");
  for (const part of office.relatedParts(sheet, "comments")) {
    for (const comment of children(child(office.xml(part), "commentList"), "comment")) {
      const pieces = [...descendants(child(comment, "text"), "t")].map(textOf);
      const text = unescaped(pieces.join("")).trim();
      if (text !== "" && !(threads.length > 0 && STAND_IN.test(text))) notes.push(note(comment.attributes.ref, text));
    }
  }
  for (const part of threads) {
    for (const comment of children(office.xml(part), "threadedComment")) {
      const text = textOf(child(comment, "text")).trim();
      if (text !== "") notes.push(note(comment.attributes.ref, text));
    }
  }
  return notes;
}

function note(cell: string | undefined, text: string): string {
  return cell === undefined ? text : `${cell}: ${text}`;
}
