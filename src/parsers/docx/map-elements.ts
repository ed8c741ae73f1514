/** Elements of one name nested deeper stay unchanged. */
const MAX_DEPTH = 50;

/** Offsets of an element in markup: its tags and its content. */
interface Place {
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
  for (const { start, innerStart, innerEnd, end } of outermost(xml, name)) {
    const inner = mapElements(xml.slice(innerStart, innerEnd), name, replace, depth + 1);
    result += xml.slice(copied, start) + replace(xml.slice(start, innerStart) + inner + xml.slice(innerEnd, end));
    copied = end;
  }
  return result + xml.slice(copied);
}

/** The elements of a name that are in no other of that name, as markup. */
export function outermostElements(xml: string, name: string): string[] {
  return outermost(xml, name).map(({ start, end }) => xml.slice(start, end));
}

function outermost(xml: string, name: string): Place[] {
  const found: Place[] = [];
  let start = 0;
  let innerStart = 0;
  let open = 0;
  for (const { 0: tag, 1: close, index } of xml.matchAll(new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, "g"))) {
    if (tag.endsWith("/>")) continue;
    if (close === "") {
      if (open++ > 0) continue;
      start = index;
      innerStart = index + tag.length;
    } else {
      if (--open > 0) continue;
      if (open < 0) return [];
      found.push({ start, innerStart, innerEnd: index, end: index + tag.length });
    }
  }
  return open === 0 ? found : [];
}
