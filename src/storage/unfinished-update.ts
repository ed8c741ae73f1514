import { KnowledgeBaseError } from "../errors.js";

/** Returns the error for rows of an earlier version that maintenance has not brought up to date yet. */
export function unfinishedUpdateError(): KnowledgeBaseError {
  const message =
    "Rows of an earlier version are still being updated, which `lorebase work` does: run it for some minutes, stop it, " +
    "and migrate.";
  return new KnowledgeBaseError("not_ready", message);
}
