import { createHash } from "node:crypto";
import { publicChunkId } from "../domain/ids.js";
import { documentNameOf } from "../search/format-citation.js";
import { locateHighlights } from "../search/locate-highlights.js";
import { parsePositions } from "../storage/chunk-positions.js";
import type { EngineMetadata, TextRange } from "../types.js";
import type { Citation } from "./answer.js";
import type { FoundPassage } from "./find-passages.js";

/** Cites a range of a passage's stored text. */
export function cite(
  {
    stored: passage,
    text: shownText,
    wholeText = shownText,
  }: Pick<FoundPassage<unknown>, "stored" | "text" | "wholeText">,
  { text, start, end }: TextRange & { readonly text: string },
): Omit<Citation, "number" | "answerRange"> {
  // A chunk's own text has Markdown markers and repeated headers that the stored text lacks, but mostly before a
  // sentence, not in it.
  const at = sameOccurrence(text, { in: wholeText, at: start }, passage.text);
  const range = at < 0 ? { start: 0, end: passage.text.length } : { start: at, end: at + text.length };
  const [located] = locateHighlights([range], passage.text, passage.page, parsePositions(passage.boxes));
  const { page, boxes, cells } = located!;
  const metadata: Partial<EngineMetadata> = JSON.parse(passage.metadata);
  const { url } = metadata;
  return {
    chunkId: publicChunkId(passage.documentId, passage.ordinal),
    documentId: passage.documentId,
    documentName: documentNameOf(metadata, passage.documentId),
    ...(typeof url === "string" && { url }),
    quote: text,
    range: { start: passage.start + start, end: passage.start + end },
    sha256: sha256Of(text),
    headings: passage.headings,
    ...(page === undefined ? {} : { page }),
    ...(boxes === undefined ? {} : { boxes }),
    ...(cells === undefined ? {} : { cells }),
  };
}

/**
 * Finds a text at which it occurs for as many times as in another text: two rows of a table may be equal. Counts from
 * the end, because a passage may begin with a header that is repeated from an earlier one. Returns -1 if there is none.
 */
function sameOccurrence(text: string, known: { readonly in: string; readonly at: number }, searched: string): number {
  let at = searched.lastIndexOf(text);
  let after = known.in.lastIndexOf(text);
  while (after > known.at && at > 0) {
    after = known.in.lastIndexOf(text, after - 1);
    at = searched.lastIndexOf(text, at - 1);
  }
  return after > known.at ? -1 : at;
}

/** Returns the SHA-256 of a text in UTF-8, in hex. */
export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
