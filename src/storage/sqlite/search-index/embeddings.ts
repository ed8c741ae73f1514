import type { Statements } from "../statements.js";

/** The cached vectors of a namespace by key; `null` for an unknown key. */
export function cachedVectors(
  db: Statements,
  question: { namespaceId: string; keys: readonly Uint8Array[] },
): readonly (Uint8Array | null)[] {
  return question.keys.map(
    (key) =>
      db.get<{ vector: Uint8Array }>(
        "SELECT vector FROM embedding_cache WHERE namespace_id = ? AND key = ?",
        question.namespaceId,
        key,
      )?.vector ?? null,
  );
}
