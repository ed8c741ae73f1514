/** A link in Markdown where it leads out of the document, else its label alone. */
export function markdownLink(label: string, target: string): string {
  const text = label.replace(/\s+/g, " ").trim();
  const url = target.trim().replace(/[\s()<>]/g, encodeURIComponent);
  if (!/^(?:https?:|mailto:)/i.test(url) || url === text || url === `mailto:${text}` || url.length > 500) return text;
  return text === "" ? url : `[${text.replace(/[[\]]/g, "")}](${url})`;
}
