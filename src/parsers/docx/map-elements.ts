/** The maximum depth of elements in others of the same name. Deeper elements stay unchanged. */
const MAX_DEPTH = 50;

/** The offsets of an element and its content in markup. */
interface ElementRange {
  readonly start: number;
  readonly innerStart: number;
  readonly innerEnd: number;
  readonly end: number;
}

/**
 * Replaces the elements with a name, inner elements first. Markup in which the tags of this name are unbalanced stays
 * unchanged.
 */
export function mapElements(xml: string, name: string, replace: (element: string) => string, depth = 0): string {
  if (depth > MAX_DEPTH || !xml.includes(`<${name}`)) return xml;
  let result = "";
  let copiedEnd = 0;
  for (const { start, innerStart, innerEnd, end } of outermostRanges(xml, name)) {
    const inner = mapElements(xml.slice(innerStart, innerEnd), name, replace, depth + 1);
    result += xml.slice(copiedEnd, start) + replace(xml.slice(start, innerStart) + inner + xml.slice(innerEnd, end));
    copiedEnd = end;
  }
  return result + xml.slice(copiedEnd);
}

/** Returns the markup of the elements with a name that are not within another element of this name. */
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
