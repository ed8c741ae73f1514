import type { Storage } from "../storage/storage.js";
import type { CallOptions, TextRange } from "../types.js";

/** A range of a document's published text; shorter if the text ends before it or is being removed. */
export async function storedText(
  { documents }: Pick<Storage, "documents">,
  { seq: documentSeq, generation }: { readonly seq: number; readonly generation: number },
  { start, end }: TextRange,
  call: CallOptions,
): Promise<string> {
  const pieces = await documents.text({ documentSeq, generation, start, end }, call);
  const from = pieces[0]?.start ?? start;
  const text = pieces.map((piece) => piece.text).join("");
  return text.slice(start - from, end - from);
}
