import type { Scope } from "../../../types.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { loadScopeIndex, type ScanLimits } from "./scope-indexes.js";

/**
 * Builds the indexes that the first search of a scope would build: the keyword index and, unless `dimensions` is
 * `null`, the vector index.
 */
export function warmUp(
  db: Statements,
  { scope, dimensions, limits }: { scope: Scope; dimensions: number | null; limits: ScanLimits },
): null {
  const searched = findScope(db, scope);
  if (!searched) return null;
  KeywordIndexes.of(db).index(searched);
  if (dimensions !== null) loadScopeIndex(db, searched, dimensions, limits);
  return null;
}
