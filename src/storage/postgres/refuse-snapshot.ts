import { KnowledgeBaseError } from "../../errors.js";

/** @throws KnowledgeBaseError `unsupported`, with what to use instead of backups */
export async function refuseSnapshot(): Promise<never> {
  throw new KnowledgeBaseError(
    "unsupported",
    "Backups and exports read a directory's SQLite database. Back up a PostgreSQL database with pg_dump or " +
      "point-in-time recovery, and its files with the versioning of their bucket.",
  );
}
