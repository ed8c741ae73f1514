import { KnowledgeBaseError } from "../../errors.js";

/** What a caller is told of anything that isn't theirs, whether or not it exists. */
export function notFound(kind: string, ref: string): KnowledgeBaseError {
  return new KnowledgeBaseError("not_found", `There is no ${kind} ${JSON.stringify(ref)}.`);
}
