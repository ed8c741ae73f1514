import type { Block } from "../../../interfaces/block.js";
import type { ParsedDocument } from "../../../interfaces/parser.js";
import { firstHeading } from "./first-heading.js";

type DocumentFields = { readonly [Name in "title" | "metadata" | "warnings"]?: ParsedDocument[Name] | undefined };

/** Creates a document of a format without pages. The title is the first heading if the file declares none. */
export function pagelessDocument(
  blocks: readonly Block[],
  mimeType: string,
  { title, metadata = {}, warnings = [] }: DocumentFields = {},
): ParsedDocument {
  return { blocks, title: title ?? firstHeading(blocks), mimeType, pages: null, metadata, warnings };
}
