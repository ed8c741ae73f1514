import { collapseWhitespace } from "../util/collapse-whitespace.js";

/** The maximum number of questions that are answered, since each is compared with every sentence. */
const MAX_PARTS = 5;
/** Matches where a further question begins: "How high is the tower, and how many steps does it have?" */
const NEXT_QUESTION_PATTERN =
  /(?:\?|[,;]?\s(?:and|or)\s(?=(?:(?:at|from|in|on|for|by|since|until|to|with)\s)?(?:what|when|where|which|who|whom|whose|why|how)\b))\s?/giu;

/** Splits a text into its questions. Returns the text unchanged if it asks only one. */
export function splitQuestion(question: string): readonly string[] {
  const parts = collapseWhitespace(question)
    .split(NEXT_QUESTION_PATTERN)
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.length > 1 ? parts.slice(0, MAX_PARTS) : [question];
}
