import { SCANS_NEED_OCR } from "../domain/text-recognition.js";

interface Ingested {
  readonly id: string;
  readonly name: string | null;
  readonly chunks: number;
  /** From parsing. */
  readonly warnings: readonly string[];
}

/** The warning for a completed document without text, or with text missing; `null` for any other. */
export function missingTextWarning({ id, name, chunks, warnings }: Ingested): string | null {
  const scans = warnings.filter((warning) => warning.includes(SCANS_NEED_OCR));
  if (chunks > 0 && scans.length === 0) return null;
  const document = name === null ? `The document ${id}` : `The document ${JSON.stringify(name)} (${id})`;
  const state = chunks === 0 ? "was ingested without any text, so no search finds it" : "lacks the text of some pages";
  const reasons = scans.length > 0 ? scans : warnings;
  return reasons.length === 0 ? `${document} ${state}.` : `${document} ${state}: ${reasons.join(" ")}`;
}
