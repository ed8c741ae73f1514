import { attribute, descendants, type HtmlElement, type HtmlNode, isElement, rawText } from "./html-tree.js";
import { webLink } from "./web-link.js";

/** Elements without readable content. */
const SKIPPED_TAGS = new Set(
  (
    "script style noscript template head iframe object embed canvas audio video svg " +
    "select datalist textarea button input dialog map"
  ).split(" "),
);

/** Whether a node is not displayed: scripts, form controls, and hidden elements. */
export function isHidden(node: HtmlNode): boolean {
  if (!isElement(node)) return false;
  if (SKIPPED_TAGS.has(node.tagName)) return true;
  if (attribute(node, "hidden") !== null || attribute(node, "aria-hidden") === "true") return true;
  const style = attribute(node, "style");
  return style !== null && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i.test(style);
}

/** Yields the displayed elements of nodes in document order, without the content of tables and of their captions. */
export function* displayedElements(nodes: readonly HtmlNode[]): Generator<HtmlElement> {
  const pending = nodes.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isElement(node) || isHidden(node)) continue;
    yield node;
    if (!/^(?:table|caption)$/.test(node.tagName))
      for (const child of node.childNodes.toReversed()) pending.push(child);
  }
}

/** Returns the text in nodes as Markdown, with collapsed spaces, `br` as a line break, and marked-up code and links. */
export function inlineText(nodes: readonly HtmlNode[]): string {
  // Spaces are collapsed as in a browser. Line breaks only come from `br`.
  return collectText(nodes)
    .replace(/[ \t\r\f]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function collectText(nodes: readonly HtmlNode[]): string {
  let text = "";
  for (const node of nodes) {
    if ("value" in node) text += node.value.replace(/\s+/g, " ");
    else if (isElement(node) && !isHidden(node)) text += elementText(node);
  }
  return text;
}

function elementText(element: HtmlElement): string {
  switch (element.tagName) {
    case "br":
      return "\n";
    case "img":
      return attribute(element, "alt") ?? "";
    case "code":
    case "kbd":
    case "samp":
      return toCodeSpan(collectText(element.childNodes));
    case "a":
      return webLink(collectText(element.childNodes), attribute(element, "href"));
    case "math":
      return mathText(element);
    case "table":
      // A table within a cell follows the table that contains it.
      return " ";
    case "td":
    case "th":
    case "li":
    case "p":
    case "div":
      return ` ${collectText(element.childNodes)} `;
    default:
      return collectText(element.childNodes);
  }
}

function toCodeSpan(text: string): string {
  const code = text.trim();
  return code === "" || code.includes("`") || code.includes("\n") ? text : text.replace(code, () => `\`${code}\``);
}

/** Returns a formula as TeX if the MathML has a TeX annotation; otherwise as text. */
function mathText(element: HtmlElement): string {
  for (const child of descendants(element)) {
    if (child.tagName === "annotation" && /tex/i.test(attribute(child, "encoding") ?? ""))
      return `$${rawText(child).trim()}$`;
  }
  return collectText(element.childNodes);
}
