import { SCANS_NEED_OCR } from "../domain/text-recognition.js";

interface IngestedDocument {
  readonly id: string;
  readonly name: string | null;
  readonly chunkCount: number;
  /** The warnings of the parser. */
  readonly warnings: readonly string[];
}

/** Returns the warning for a completed document without text or with missing text; `null` for any other document. */
export function missingTextWarning({ id, name, chunkCount, warnings }: IngestedDocument): string | null {
  const scanWarnings = warnings.filter((warning) => warning.includes(SCANS_NEED_OCR));
  if (chunkCount > 0 && scanWarnings.length === 0) return null;
  const document = name === null ? `The document ${id}` : `The document ${JSON.stringify(name)} (${id})`;
  const state =
    chunkCount === 0 ? "was ingested without any text, so no search finds it" : "lacks the text of some pages";
  const reasons = scanWarnings.length > 0 ? scanWarnings : warnings;
  return reasons.length === 0 ? `${document} ${state}.` : `${document} ${state}: ${reasons.join(" ")}`;
}
