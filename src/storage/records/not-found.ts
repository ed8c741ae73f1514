import { KnowledgeBaseError } from "../../errors.js";

/** The error for anything that the caller doesn't own, whether or not it exists. */
export function notFound(kind: string, ref: string): KnowledgeBaseError {
  return new KnowledgeBaseError("not_found", `There is no ${kind} ${JSON.stringify(ref)}.`);
}
