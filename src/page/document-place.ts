import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { TextRange } from "../types.js";
import type { Source } from "./sources.js";

/** A place in a document. */
export interface DocumentPlace {
  readonly documentId: string;
  readonly title: string;
  /** In the document's text. */
  readonly range: TextRange;
}

export function placeOfPassage({ documentId, title, range }: WirePassage): DocumentPlace {
  return { documentId, title, range };
}

/** From the first quote of the given citations to its end. */
export function placeOfSource({ documentId, title }: Source, citations: readonly WireCitation[]): DocumentPlace {
  return { documentId, title, range: citations[0]!.range };
}
