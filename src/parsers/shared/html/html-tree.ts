import { type DefaultTreeAdapterTypes, Parser, type Token } from "parse5";

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlParent = DefaultTreeAdapterTypes.ParentNode;

/** Maximum number of open elements, as in Blink: deeper elements are flattened, and their text is kept. */
const MAX_DEPTH = 512;

/** Kept at any depth: elements that cannot nest, and elements that change the state of the tokenizer. */
const ALWAYS_KEPT = new Set(["br", "hr", "img", "script", "style", "textarea", "title", "iframe", "noframes", "xmp"]);

/** Limits the depth of the tree: most tags make the parser scan all open elements, which would take quadratic time. */
class ShallowParser extends Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  override onStartTag(token: Token.TagToken): void {
    if (this.openElements.stackTop < MAX_DEPTH || ALWAYS_KEPT.has(token.tagName)) super.onStartTag(token);
  }
}

/** Parses a page like a browser, with at most 512 open elements. */
export function parseHtml(html: string): DefaultTreeAdapterTypes.Document {
  const parser = new ShallowParser();
  parser.tokenizer.write(html, true);
  return parser.document;
}

export function isElement(node: HtmlNode | HtmlParent): node is HtmlElement {
  return "tagName" in node;
}

export function attribute(element: HtmlElement, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

export function isHeading(element: HtmlElement): boolean {
  return /^h[1-6]$/.test(element.tagName);
}

/** Returns the elements directly within a node. */
export function childElements(parent: HtmlParent): HtmlElement[] {
  return parent.childNodes.filter((node): node is HtmlElement => isElement(node));
}

/** Yields every element within a node, in document order. */
export function* descendants(root: HtmlParent): Generator<HtmlElement> {
  const pending = childElements(root).reverse();
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    yield element;
    for (const child of childElements(element).reverse()) pending.push(child);
  }
}

/** Whether a node contains an element with a matching tag name. */
export function hasDescendant(root: HtmlParent, tagPattern: RegExp): boolean {
  for (const element of descendants(root)) if (tagPattern.test(element.tagName)) return true;
  return false;
}

/** Yields the elements around an element, innermost first. */
export function* ancestors(element: HtmlElement): Generator<HtmlElement> {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) yield node;
}

/** Returns the text within a node, with a line break for each `br`. */
export function rawText(node: HtmlNode | HtmlParent): string {
  const parts: string[] = [];
  const visit = (current: HtmlNode | HtmlParent): void => {
    if ("value" in current) parts.push(current.value);
    else if ("childNodes" in current) {
      if (current.nodeName === "br") parts.push("\n");
      for (const child of current.childNodes) visit(child);
    }
  };
  visit(node);
  return parts.join("");
}
