const SEPARATOR = " > ";

/**
 * Formats headings as one line, `Handbook > Leave`. A line longer than `limit` loses its outer headings first; the
 * innermost one is truncated.
 */
export function formatBreadcrumb(headingPath: readonly string[], limit: number): string {
  let line = "";
  if (limit <= 0) return line;
  for (let i = headingPath.length - 1; i >= 0; i--) {
    const heading = headingPath[i]!.replace(/\s+/g, " ").trim();
    if (heading === "") continue;
    const longer = line === "" ? heading : heading + SEPARATOR + line;
    if (longer.length > limit) return line === "" ? shorten(heading, limit) : line;
    line = longer;
  }
  return line;
}

function shorten(heading: string, limit: number): string {
  if (limit < 8) return "";
  const end = (heading.charCodeAt(limit - 2) & 0xfc00) === 0xd800 ? limit - 2 : limit - 1;
  return `${heading.slice(0, end).trimEnd()}…`;
}
