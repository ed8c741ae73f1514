/** A Markdown link for a web address; only the text for an address within the document. */
export function webLink(text: string, address: string | null | undefined): string {
  const label = text.trim();
  const target = address?.trim() ?? "";
  if (label === "" || !/^(?:https?:|mailto:)/i.test(target) || target.length > 500) return text;
  const escaped = target.replace(/[\s()<>]/g, encodeURIComponent);
  if (target === label || target === `mailto:${label}` || /[[\]\n]/.test(label)) return text;
  return text.replace(label, () => `[${label}](${escaped})`);
}
