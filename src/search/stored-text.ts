import type { Storage } from "../storage/storage.js";
import type { CallOptions, TextRange } from "../types.js";

/**
 * Reads a range of a document's published text. Returns less if the text ends earlier or is being removed, and `null` if
 * a part of it is damaged.
 */
export async function readStoredText(
  { documents }: Pick<Storage, "documents">,
  { seq: documentSeq, generation }: { readonly seq: number; readonly generation: number },
  { start, end }: TextRange,
  call: CallOptions,
): Promise<string | null> {
  const pieces = await documents.listTextParts({ documentSeq, generation, start, end }, call);
  if (pieces.some(({ isDamaged }) => isDamaged)) return null;
  const from = pieces[0]?.start ?? start;
  const text = pieces.map((piece) => piece.text).join("");
  return text.slice(start - from, end - from);
}
