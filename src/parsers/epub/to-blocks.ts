import type { BlockList } from "../shared/blocks/block-list.js";
import { decodeXml } from "../shared/charset/decode-text.js";
import { htmlToBlocks } from "../shared/html/html-to-blocks.js";
import { descendants, isElement, parseHtml } from "../shared/html/html-tree.js";
import type { ImageOptions } from "../shared/html/image-options.js";
import { escapeXml } from "../shared/xml/xml-text.js";

const VOID_ELEMENTS = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const SELF_CLOSING_TAG_PATTERN = /<([a-zA-Z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g;
const XHTML_PREFIX_PATTERN = /xmlns:([\w.-]+)\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;

/** How to add a content document. */
export interface PartSettings extends ImageOptions {
  /** Whether the document contains the table of contents, which is skipped because the headings repeat it. */
  readonly isNavigation: boolean;
}

/** Adds a content document of a book. */
export function addPart(list: BlockList, bytes: Uint8Array, settings: PartSettings): void {
  const document = parseHtml(xhtmlAsHtml(decodeXml(bytes)));
  if (settings.isNavigation) {
    for (const element of [document, ...descendants(document)])
      element.childNodes = element.childNodes.filter((node) => !isElement(node) || node.tagName !== "nav");
  }
  htmlToBlocks(list, document, settings);
}

/**
 * Rewrites XHTML so that an HTML parser reads it correctly: splits self-closing tags into start and end tags, escapes
 * the content of CDATA sections, and removes the namespace prefix.
 */
function xhtmlAsHtml(xhtml: string): string {
  const prefix = XHTML_PREFIX_PATTERN.exec(xhtml.slice(0, 4096))?.[1];
  const unprefixed = prefix === undefined ? xhtml : xhtml.replace(new RegExp(`(</?)${prefix}:`, "g"), "$1");
  return unprefixed
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) => escapeXml(text))
    .replace(SELF_CLOSING_TAG_PATTERN, (whole, name: string, attributes: string) =>
      VOID_ELEMENTS.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
    );
}
