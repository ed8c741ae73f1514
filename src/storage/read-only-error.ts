import { KnowledgeBaseError } from "../errors.js";

/** Creates the error of a change that a knowledge base refuses because it was opened with `readOnly`. */
export function readOnlyError(operation: string): KnowledgeBaseError {
  const message =
    `${operation} is refused because the knowledge base was opened with readOnly: true. ` +
    "Open it without this option to change it.";
  return new KnowledgeBaseError("forbidden", message);
}
