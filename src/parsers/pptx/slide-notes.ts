import type { BlockList } from "../shared/blocks/block-list.js";
import { shapesOf } from "../shared/ooxml/drawing-blocks.js";
import { drawingText } from "../shared/ooxml/drawing-text.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";
import { placeholderOf } from "./placeholders.js";

/**
 * Adds the speaker notes and comments of a slide.
 *
 * @param authors The names of comment authors by id.
 */
export function addNotes(
  office: OfficePackage,
  part: string,
  list: BlockList,
  page: number,
  authors: ReadonlyMap<string, string>,
): void {
  for (const notes of office.relatedParts(part, "notesSlide")) {
    const links = office.relationships(notes);
    for (const shape of shapesOf(child(office.xml(notes), "cSld", "spTree"))) {
      // The other placeholders of a notes page repeat the slide, its number and the date.
      const type = placeholderOf(shape)?.type;
      if (type === undefined || type === "body" || type === "obj")
        list.add("note", drawingText(child(shape, "txBody"), links), { page });
    }
  }
  for (const comments of office.relatedParts(part, "comments")) {
    for (const comment of childElements(office.xml(comments))) {
      const text = commentText(comment);
      const author = authors.get(comment.attributes.authorId ?? "");
      if (text !== "") list.add("note", author === undefined ? text : `${author}: ${text}`, { page });
    }
  }
}

/** Reads the names of comment authors by id. */
export function readCommentAuthors(office: OfficePackage): ReadonlyMap<string, string> {
  const authors = new Map<string, string>();
  for (const type of ["commentAuthors", "authors"]) {
    for (const part of office.relatedParts(office.mainPart, type)) {
      for (const { attributes } of childElements(office.xml(part))) {
        if (attributes.name) authors.set(attributes.id ?? "", attributes.name);
      }
    }
  }
  return authors;
}

/** Returns the text of a comment and its replies. */
function commentText(comment: XmlElement): string {
  const plain = textContent(child(comment, "text")).trim();
  if (plain !== "") return plain;
  const bodies = [child(comment, "txBody"), ...descendants(child(comment, "replyLst"), "txBody")];
  return bodies
    .map((body) => drawingText(body, []))
    .filter((text) => text !== "")
    .join("\n");
}
