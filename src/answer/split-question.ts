import { collapseWhitespace } from "../util/collapse-whitespace.js";

/** Further questions of a text get no answer: each is compared with every sentence. */
const MAX_PARTS = 5;
/** Where a further question begins: "How high is the tower, and how many steps does it have?" */
const NEXT_QUESTION =
  /(?:\?|[,;]?\s(?:and|or)\s(?=(?:(?:at|from|in|on|for|by|since|until|to|with)\s)?(?:what|when|where|which|who|whom|whose|why|how)\b))\s?/giu;

/** The questions of a text that asks several; the text itself if it asks one. */
export function splitQuestion(question: string): readonly string[] {
  const parts = collapseWhitespace(question)
    .split(NEXT_QUESTION)
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.length > 1 ? parts.slice(0, MAX_PARTS) : [question];
}
