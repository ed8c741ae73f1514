const SEPARATOR = " > ";

/**
 * Formats headings as one line of at most `limit` characters, such as `Handbook > Leave`. Drops outer headings that
 * don't fit; truncates the innermost heading if it doesn't fit on its own.
 */
export function formatBreadcrumb(headingPath: readonly string[], limit: number): string {
  let line = "";
  if (limit <= 0) return line;
  for (let i = headingPath.length - 1; i >= 0; i--) {
    const heading = headingPath[i]!.replace(/\s+/g, " ").trim();
    if (heading === "") continue;
    const longer = line === "" ? heading : heading + SEPARATOR + line;
    if (longer.length > limit) return line === "" ? truncate(heading, limit) : line;
    line = longer;
  }
  return line;
}

function truncate(heading: string, limit: number): string {
  if (limit < 8) return "";
  const end = (heading.charCodeAt(limit - 2) & 0xfc00) === 0xd800 ? limit - 2 : limit - 1;
  return `${heading.slice(0, end).trimEnd()}…`;
}
