import type { Engine } from "../engine/engine.js";
import { readStoredText } from "../search/stored-text.js";
import { type Access, readerOf } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";
import { verifyCitationsSchema } from "../validation/ask-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { Citation } from "./answer.js";
import { sha256Of } from "./cite.js";

/** A citation compared with the document as it is now. */
export interface CheckedCitation {
  readonly citation: Citation;
  /**
   * `verified`: the document has exactly this quote in this range. `changed`: the document has another text there, or
   * the quote doesn't match its hash. `gone`: the document doesn't exist or has no published text.
   */
  readonly status: "verified" | "changed" | "gone";
}

/**
 * Compares each citation with the stored text of its document.
 * @throws KnowledgeBaseError `invalid_input` if a citation lacks a field
 */
export async function verifyCitations(
  { storage }: Engine,
  access: Access,
  citations: readonly Citation[],
  call: CallOptions,
): Promise<readonly CheckedCitation[]> {
  parseInput(verifyCitationsSchema, { citations });
  const checked: CheckedCitation[] = [];
  for (const citation of citations) {
    const { documentId, range, quote, sha256 } = citation;
    const document = await storage.documents.get({ ...readerOf(access), documentId }, call);
    const text = document && document.generation > 0 ? await readStoredText(storage, document, range, call) : undefined;
    const isSame = text === quote && sha256Of(quote) === sha256;
    checked.push({ citation, status: text === undefined ? "gone" : isSame ? "verified" : "changed" });
  }
  return checked;
}
