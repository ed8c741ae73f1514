import type { Block } from "../../../interfaces/block.js";

/** Creates a block outside the document's sections. */
export function blockOutsideSections(kind: "note" | "image" | "page_header" | "page_footer", text: string): Block {
  return { kind, text, headingPath: [], origin: "native" };
}

/** Returns a document's blocks with the texts of page headers before them and of page footers after them. */
export function withHeadersAndFooters(
  blocks: readonly Block[],
  { headers, footers }: { readonly headers: Iterable<string>; readonly footers: Iterable<string> },
): Block[] {
  const before = [...headers].map((text) => blockOutsideSections("page_header", text));
  return [...before, ...blocks, ...[...footers].map((text) => blockOutsideSections("page_footer", text))];
}

/** Returns a block's text, preceded by its marker if it is a numbered list item. */
export function itemText({ text, marker }: Block): string {
  return marker === undefined ? text : `${marker} ${text}`;
}
