import type { Statements } from "../statements.js";
import { rebuildKeywordTables } from "./keyword-rebuild.js";
import { reanalyzeDocuments } from "./reanalyze-documents.js";
import { maintainVectorFiles } from "./vector-files.js";

/** Takes one step of maintenance. Returns false if there is nothing to do. */
export function maintain(db: Statements, argument: { readonly shouldReconcile: boolean }): boolean {
  return maintainVectorFiles(db, argument) || rebuildKeywordTables(db) || reanalyzeDocuments(db);
}
