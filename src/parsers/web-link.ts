/** A link to the web as Markdown; links within the site, the file or the disk carry nothing outside of it. */
export function webLink(text: string, href: string | null): string {
  const label = text.trim();
  if (label === "" || href === null || !/^(?:https?:|mailto:)/i.test(href.trim())) return text;
  const target = href.trim().replace(/[\s()<>]/g, encodeURIComponent);
  if (target === label || /[[\]\n]/.test(label) || target.length > 500) return text;
  return text.replace(label, () => `[${label}](${target})`);
}
