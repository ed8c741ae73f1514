import type { Statements } from "../statements.js";

/** The vectors that a namespace remembers, key by key; `null` if it has none. */
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
