import { isHidden } from "../parsers/shared/html/html-inline.js";
import { attribute, type HtmlNode, type HtmlParent, isElement } from "../parsers/shared/html/html-tree.js";

/** Parts of a page that are the same on all pages of a site. */
const FURNITURE = new Set(["nav", "header", "footer", "aside"]);

export interface PageText {
  /** All that a reader can read, its white space collapsed. */
  readonly all: string;
  /** The same without what stands in the page's navigation, header, footer and margin. */
  readonly main: string;
}

/** The text of a page, cheaply: good for telling pages that say nothing, not for reading. */
export function pageText(document: HtmlParent): PageText {
  const all: string[] = [];
  const main: string[] = [];
  const visit = (node: HtmlNode | HtmlParent, isMain: boolean): void => {
    if ("value" in node) add(node.value, isMain);
    else if ("childNodes" in node) {
      if (isElement(node) && isHidden(node)) return;
      if (isElement(node) && node.tagName === "img") add(attribute(node, "alt") ?? "", isMain);
      const isWithin = isMain && !(isElement(node) && FURNITURE.has(node.tagName));
      for (const child of node.childNodes) visit(child, isWithin);
    }
  };
  const add = (text: string, isMain: boolean): void => {
    all.push(text);
    if (isMain) main.push(text);
  };
  visit(document, true);
  return { all: collapsed(all), main: collapsed(main) };
}

function collapsed(parts: readonly string[]): string {
  return parts.join(" ").replace(/\s+/g, " ").trim();
}
