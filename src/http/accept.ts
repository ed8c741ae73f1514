/**
 * Whether an `Accept` header (RFC 9110) prefers JSON to HTML. A tie means HTML, unless the header names JSON and covers
 * HTML only by a wildcard, as API clients do.
 */
export function prefersJson(accept: string | null): boolean {
  const ranges = parseRanges(accept ?? "");
  const json = qualityOf("application/json", ranges);
  const html = qualityOf("text/html", ranges);
  if (json !== html) return json > html;
  return ranges.has("application/json") && !ranges.has("text/html");
}

/** The quality of each media range, in lower case. */
function parseRanges(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const item of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    ranges.set(range, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  return ranges;
}

/** The quality of the most specific range that covers the type. */
function qualityOf(type: string, ranges: ReadonlyMap<string, number>): number {
  return ranges.get(type) ?? ranges.get(`${type.split("/")[0]}/*`) ?? ranges.get("*/*") ?? 0;
}
