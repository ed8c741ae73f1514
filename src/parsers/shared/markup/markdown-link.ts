import { collapseWhitespace } from "../../../util/collapse-whitespace.js";

/** Returns a Markdown link if the target is outside the document, else only the label. */
export function markdownLink(label: string, target: string): string {
  const text = collapseWhitespace(label);
  const url = target.trim().replace(/[\s()<>]/g, encodeURIComponent);
  if (!/^(?:https?:|mailto:)/i.test(url) || url === text || url === `mailto:${text}` || url.length > 500) return text;
  return text === "" ? url : `[${text.replace(/[[\]]/g, "")}](${url})`;
}
