import { KnowledgeBaseError } from "../../errors.js";

/** Returns the error for a record that doesn't exist or belongs to another owner. */
export function notFound(kind: string, ref: string): KnowledgeBaseError {
  return new KnowledgeBaseError("not_found", `There is no ${kind} ${JSON.stringify(ref)}.`);
}
