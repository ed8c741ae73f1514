/** Returns a Markdown link if the URL is outside the document and isn't the text itself; otherwise only the text. */
export function webLink(text: string, url: string | null | undefined): string {
  const label = text.trim();
  const target = url?.trim() ?? "";
  if (label === "" || !/^(?:https?:|mailto:)/i.test(target) || target.length > 500) return text;
  const escaped = target.replace(/[\s()<>]/g, encodeURIComponent);
  if (target === label || target === `mailto:${label}` || /[[\]\n]/.test(label)) return text;
  return text.replace(label, () => `[${label}](${escaped})`);
}
