import type { Block } from "../../../interfaces/block.js";

/** Creates a block outside the document's sections. */
export function looseBlock(kind: "note" | "image" | "page_header" | "page_footer", text: string): Block {
  return { kind, text, headingPath: [], origin: "native" };
}

/** Returns a document's blocks with the texts of page headers before them and of page footers after them. */
export function withHeadersAndFooters(
  blocks: readonly Block[],
  { headers, footers }: { readonly headers: Iterable<string>; readonly footers: Iterable<string> },
): Block[] {
  const before = [...headers].map((text) => looseBlock("page_header", text));
  return [...before, ...blocks, ...[...footers].map((text) => looseBlock("page_footer", text))];
}

/** Returns the text of a block, after its marker if it is a numbered list item. */
export function itemText({ text, marker }: Block): string {
  return marker === undefined ? text : `${marker} ${text}`;
}
