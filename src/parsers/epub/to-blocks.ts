import type { BlockList } from "../shared/blocks/block-list.js";
import { decodeText } from "../shared/charset/decode-text.js";
import type { ImageOptions } from "../shared/html/find-picture.js";
import { htmlToBlocks } from "../shared/html/html-to-blocks.js";
import { descendants, isElement, parseHtml } from "../shared/html/html-tree.js";
import { xhtmlAsHtml } from "./xhtml-as-html.js";

export interface PartSettings extends ImageOptions {
  /** Whether to skip the table of contents, which the headings repeat. */
  readonly isNavigation: boolean;
}

/** Adds a content document of a book. */
export function addPart(list: BlockList, bytes: Uint8Array, settings: PartSettings): void {
  const declared = /encoding\s*=\s*["']([\w-]+)/.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 200)))?.[1];
  const document = parseHtml(xhtmlAsHtml(decodeText(bytes, declared ?? null).text));
  if (settings.isNavigation) {
    for (const element of [document, ...descendants(document)])
      element.childNodes = element.childNodes.filter((node) => !isElement(node) || node.tagName !== "nav");
  }
  htmlToBlocks(list, document, settings);
}
