import { createHash } from "node:crypto";
import { publicChunkId } from "../domain/ids.js";
import { documentNameOf } from "../search/format-citation.js";
import { locateHighlights } from "../search/locate-highlights.js";
import { parsePositions } from "../storage/chunk-positions.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { EngineMetadata, TextRange } from "../types.js";
import type { Citation } from "./answer.js";

/** Cites a range of a passage's stored text. */
export function cite(
  passage: StoredPassage,
  { text, start, end }: TextRange & { readonly text: string },
): Omit<Citation, "number" | "answerRange"> {
  // A chunk's own text has Markdown markers that the stored text lacks, but mostly before a sentence, not in it.
  const at = passage.text.indexOf(text);
  const range = at < 0 ? { start: 0, end: passage.text.length } : { start: at, end: at + text.length };
  const [located] = locateHighlights([range], passage.text, passage.page, parsePositions(passage.boxes));
  const { page, boxes } = located!;
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
  };
}

/** Returns the SHA-256 of a text in UTF-8, in hex. */
export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
