/** Elements nested deeper in others of the same name stay unchanged. */
const MAX_DEPTH = 50;

/** Offsets of an element and its content in markup. */
interface ElementRange {
  readonly start: number;
  readonly innerStart: number;
  readonly innerEnd: number;
  readonly end: number;
}

/**
 * Replaces the elements of a name in markup, inner ones first. Markup with unbalanced tags of that name stays
 * unchanged.
 */
export function mapElements(xml: string, name: string, replace: (element: string) => string, depth = 0): string {
  if (depth > MAX_DEPTH || !xml.includes(`<${name}`)) return xml;
  let result = "";
  let copied = 0;
  for (const { start, innerStart, innerEnd, end } of outermostRanges(xml, name)) {
    const inner = mapElements(xml.slice(innerStart, innerEnd), name, replace, depth + 1);
    result += xml.slice(copied, start) + replace(xml.slice(start, innerStart) + inner + xml.slice(innerEnd, end));
    copied = end;
  }
  return result + xml.slice(copied);
}

/** The markup of the elements of a name that are not within another of that name. */
export function outermostElements(xml: string, name: string): string[] {
  return outermostRanges(xml, name).map(({ start, end }) => xml.slice(start, end));
}

function outermostRanges(xml: string, name: string): ElementRange[] {
  const ranges: ElementRange[] = [];
  let start = 0;
  let innerStart = 0;
  let depth = 0;
  for (const { 0: tag, 1: close, index } of xml.matchAll(new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, "g"))) {
    if (tag.endsWith("/>")) continue;
    if (close === "") {
      if (depth++ > 0) continue;
      start = index;
      innerStart = index + tag.length;
    } else {
      if (--depth > 0) continue;
      if (depth < 0) return [];
      ranges.push({ start, innerStart, innerEnd: index, end: index + tag.length });
    }
  }
  return depth === 0 ? ranges : [];
}
