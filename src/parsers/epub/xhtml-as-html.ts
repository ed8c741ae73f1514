import { escapeXml } from "../shared/xml/xml-text.js";

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const EMPTY_ELEMENT = /<([a-zA-Z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g;
const XHTML_PREFIX = /xmlns:([\w.-]+)\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;

/** Rewrites XHTML so that an HTML parser reads it the same way: no empty-element tags, no CDATA, no prefix. */
export function xhtmlAsHtml(xhtml: string): string {
  const prefix = XHTML_PREFIX.exec(xhtml.slice(0, 4096))?.[1];
  const bare = prefix === undefined ? xhtml : xhtml.replace(new RegExp(`(</?)${prefix}:`, "g"), "$1");
  return bare
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) => escapeXml(text))
    .replace(EMPTY_ELEMENT, (whole, name: string, attributes: string) =>
      VOID.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
    );
}
