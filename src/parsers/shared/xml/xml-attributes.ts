import { unescapeXml } from "./xml-text.js";

const NO_ATTRIBUTES: Readonly<Record<string, string>> = {};

/** Parses all attributes of a tag; returns their values by name, including prefixes. */
export function attributesOf(tag: string): Readonly<Record<string, string>> {
  let equalsOffset = tag.indexOf("=");
  if (equalsOffset === -1) return NO_ATTRIBUTES;
  const attributes: Record<string, string> = {};
  for (let at = 0; equalsOffset !== -1; equalsOffset = tag.indexOf("=", at)) {
    const start = quoteAfter(tag, equalsOffset);
    const end = start === -1 ? -1 : tag.indexOf(tag[start]!, start + 1);
    if (end === -1) break;
    attributes[tag.slice(at, equalsOffset).trim()] = unescapeXml(tag.slice(start + 1, end));
    at = end + 1;
  }
  return attributes;
}

/** Returns one attribute of a tag by its name, including the prefix; `undefined` if the attribute is missing. */
export function attributeOf(tag: string, name: string): string | undefined {
  let at = tag.indexOf(`${name}=`);
  while (at > 0 && !/\s/.test(tag[at - 1]!)) at = tag.indexOf(`${name}=`, at + 1);
  if (at === -1) return undefined;
  const start = at + name.length + 2;
  return unescapeXml(tag.slice(start, tag.indexOf(tag[start - 1]!, start)));
}

/** Parses an integer at the start of a text; returns `fallback` if there is none. */
export function integer<Fallback>(text: string | undefined, fallback: Fallback): number | Fallback {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isFinite(value) ? value : fallback;
}

/** Returns the offset of the next quote of either kind; a search for only one kind might read to the end of the tag. */
function quoteAfter(tag: string, from: number): number {
  for (let at = from; at < tag.length; at++) {
    const code = tag.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
  }
  return -1;
}
