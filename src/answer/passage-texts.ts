import type { Engine } from "../engine/engine.js";
import { reportDamagedText } from "../engine/report-damage.js";
import { readStoredText } from "../search/stored-text.js";
import type { DocumentRecord } from "../storage/records/document-queries.js";
import type { SearchScope, StoredPassage } from "../storage/search-index.js";
import type { CallOptions } from "../types.js";

/**
 * Reads the stored text of each passage from its document. Unlike a chunk's own text, it has no Markdown markers of
 * headings and lists. A text of which a part is damaged is `null`, and its document is failed.
 * Returns `null` if a document was published again or removed since the search.
 */
export async function readPassageTexts(
  engine: Engine,
  { namespaceId, tenantId, principals = null }: SearchScope,
  passages: readonly StoredPassage[],
  call: CallOptions,
): Promise<readonly (string | null)[] | null> {
  const { storage } = engine;
  const documents = new Map<string, DocumentRecord>();
  const texts: (string | null)[] = [];
  for (const { documentId, generation, start, end } of passages) {
    const document =
      documents.get(documentId) ??
      (await storage.documents.get({ namespaceId, tenantId, principals, documentId }, call));
    if (document?.generation !== generation) return null;
    documents.set(documentId, document);
    const text = await readStoredText(storage, document, { start, end }, call);
    if (text === null) reportDamagedText(engine, document);
    else if (text.length !== end - start) return null;
    texts.push(text);
  }
  return texts;
}
