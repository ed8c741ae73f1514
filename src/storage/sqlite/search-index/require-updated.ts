import { unfinishedUpdateError } from "../../unfinished-update.js";
import type { Statements } from "../statements.js";

/**
 * Checks that maintenance has brought the rows of earlier versions up to date.
 * @throws KnowledgeBaseError `not_ready` if it has not
 */
export function requireUpdated(db: Statements): void {
  const [isUnfinished] = db.column<number>(
    "SELECT EXISTS (SELECT 1 FROM documents_to_analyze) OR EXISTS (SELECT 1 FROM unhashed_rows)",
  );
  if (isUnfinished) throw unfinishedUpdateError();
}
