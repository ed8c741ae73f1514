import { isHidden } from "../parsers/shared/html/html-inline.js";
import { attribute, type HtmlNode, type HtmlParent, isElement } from "../parsers/shared/html/html-tree.js";

/** Elements that repeat on all pages of a site. */
const BOILERPLATE = new Set(["nav", "header", "footer", "aside"]);

export interface VisibleText {
  /** All visible text, with white space collapsed. */
  readonly all: string;
  /** The same without navigation, header, footer and aside. */
  readonly main: string;
}

/** The text of a page, extracted cheaply: good enough to compare pages, not to read them. */
export function visibleText(document: HtmlParent): VisibleText {
  const all: string[] = [];
  const main: string[] = [];
  const visit = (node: HtmlNode | HtmlParent, isMain: boolean): void => {
    if ("value" in node) add(node.value, isMain);
    else if ("childNodes" in node) {
      if (isElement(node) && isHidden(node)) return;
      if (isElement(node) && node.tagName === "img") add(attribute(node, "alt") ?? "", isMain);
      const isMainChild = isMain && !(isElement(node) && BOILERPLATE.has(node.tagName));
      for (const child of node.childNodes) visit(child, isMainChild);
    }
  };
  const add = (text: string, isMain: boolean): void => {
    all.push(text);
    if (isMain) main.push(text);
  };
  visit(document, true);
  return { all: collapseWhiteSpace(all), main: collapseWhiteSpace(main) };
}

function collapseWhiteSpace(parts: readonly string[]): string {
  return parts.join(" ").replace(/\s+/g, " ").trim();
}
