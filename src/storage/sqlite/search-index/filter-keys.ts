import type { Scope } from "../../../types.js";
import type { FilterKeys } from "../../search-index.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";

/** The maximum number of keys to return. */
const MAX_KEYS = 1000;

/**
 * Returns which of the given metadata keys a scope lacks and, if it lacks any, which keys it has; neither for a scope
 * without content.
 */
export function filterKeys(
  db: Statements,
  { scope, keys }: { readonly scope: Scope; readonly keys: readonly string[] },
): FilterKeys {
  const row = findScope(db, scope);
  if (!row) return { missing: [], present: [] };
  const missing = keys.filter((key) => {
    return db.get("SELECT 1 FROM chunk_metadata WHERE scope_id = ? AND key = ? LIMIT 1", row.id, key) === undefined;
  });
  if (missing.length === 0) return { missing, present: [] };
  // Skips from each key to the next in the index, since there are many chunks but few keys.
  const present = db.column<string>(
    `WITH RECURSIVE scope (id) AS (VALUES (?)), keys (key) AS (
       SELECT min(m.key) FROM chunk_metadata m, scope WHERE m.scope_id = scope.id
       UNION ALL
       SELECT (SELECT min(m.key) FROM chunk_metadata m WHERE m.scope_id = scope.id AND m.key > keys.key) FROM keys, scope
       WHERE keys.key IS NOT NULL
     ) SELECT key FROM keys WHERE key IS NOT NULL LIMIT ?`,
    row.id,
    MAX_KEYS,
  );
  return { missing, present };
}
