import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { child, childElements, descendants, textContent } from "../shared/xml/xml-tree.js";
import { unescapeText } from "./escaped-text.js";

/** Matches the text that older applications show instead of a comment thread. */
const THREAD_FALLBACK_PATTERN = /^\[Threaded comment\]/;

/** Reads the comments on the cells of a sheet, each with the reference of its cell, as in `B2: text`. */
export function readSheetComments(office: OfficePackage, sheet: string): string[] {
  const notes: string[] = [];
  const threads = office.relatedParts(sheet, "threadedComment");
  for (const part of office.relatedParts(sheet, "comments")) {
    for (const comment of childElements(child(office.xml(part), "commentList"), "comment")) {
      const runs = [...descendants(child(comment, "text"), "t")].map(textContent);
      const text = unescapeText(runs.join("")).trim();
      if (text !== "" && !(threads.length > 0 && THREAD_FALLBACK_PATTERN.test(text)))
        notes.push(noteText(comment.attributes.ref, text));
    }
  }
  for (const part of threads) {
    for (const comment of childElements(office.xml(part), "threadedComment")) {
      const text = textContent(child(comment, "text")).trim();
      if (text !== "") notes.push(noteText(comment.attributes.ref, text));
    }
  }
  return notes;
}

function noteText(reference: string | undefined, text: string): string {
  return reference === undefined ? text : `${reference}: ${text}`;
}
