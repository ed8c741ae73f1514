import { isHidden } from "../parsers/shared/html/html-inline.js";
import { attribute, type HtmlNode, type HtmlParent, isElement } from "../parsers/shared/html/html-tree.js";

/** Elements whose text is usually the same on all pages of a site. */
const BOILERPLATE_TAGS = new Set(["nav", "header", "footer", "aside"]);

export interface VisibleText {
  /** All visible text, with white space collapsed. */
  readonly all: string;
  /** The visible text without navigation, header, footer and aside. */
  readonly main: string;
}

/** Extracts the text of a page cheaply: good enough for comparing pages, not for reading them. */
export function visibleText(document: HtmlParent): VisibleText {
  const all: string[] = [];
  const main: string[] = [];
  const visit = (node: HtmlNode | HtmlParent, isInMain: boolean): void => {
    if ("value" in node) add(node.value, isInMain);
    else if ("childNodes" in node) {
      if (isElement(node) && isHidden(node)) return;
      if (isElement(node) && node.tagName === "img") add(attribute(node, "alt") ?? "", isInMain);
      const isChildInMain = isInMain && !(isElement(node) && BOILERPLATE_TAGS.has(node.tagName));
      for (const child of node.childNodes) visit(child, isChildInMain);
    }
  };
  const add = (text: string, isInMain: boolean): void => {
    all.push(text);
    if (isInMain) main.push(text);
  };
  visit(document, true);
  return { all: collapseWhiteSpace(all), main: collapseWhiteSpace(main) };
}

function collapseWhiteSpace(parts: readonly string[]): string {
  return parts.join(" ").replace(/\s+/g, " ").trim();
}
