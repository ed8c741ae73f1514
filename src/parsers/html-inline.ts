import { attribute, descendants, type HtmlNode, type HtmlParent, isElement, rawText } from "./html-tree.js";

/** Elements whose content is not part of what a reader reads. */
const SKIPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "head",
  "iframe",
  "object",
  "embed",
  "canvas",
  "audio",
  "video",
  "svg",
  "select",
  "datalist",
  "textarea",
  "button",
  "input",
  "dialog",
  "map",
]);

/** Whether a node shows nothing: scripts, controls, and what the page hides. */
export function isHidden(node: HtmlNode): boolean {
  if (!isElement(node)) return false;
  if (SKIPPED.has(node.tagName)) return true;
  if (attribute(node, "hidden") !== null || attribute(node, "aria-hidden") === "true") return true;
  const style = attribute(node, "style");
  return style !== null && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i.test(style);
}

/** Text within nodes as one run of Markdown: spaces collapsed, `br` as a line break, code and web links marked. */
export function inlineText(nodes: readonly HtmlNode[]): string {
  return tidy(collect(nodes));
}

/** Collapses spaces the way a browser does and keeps line breaks, which only `br` makes. */
function tidy(text: string): string {
  return text
    .replace(/[ \t\r\f]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function collect(nodes: readonly HtmlNode[]): string {
  let text = "";
  for (const node of nodes) {
    if ("value" in node) text += node.value.replace(/\s+/g, " ");
    else if (isElement(node) && !isHidden(node)) text += elementText(node);
  }
  return text;
}

function elementText(element: HtmlParent & { readonly tagName: string } & HtmlNode): string {
  if (!isElement(element)) return "";
  switch (element.tagName) {
    case "br":
      return "\n";
    case "img":
      return attribute(element, "alt") ?? "";
    case "code":
    case "kbd":
    case "samp":
      return codeSpan(collect(element.childNodes));
    case "a":
      return link(collect(element.childNodes), attribute(element, "href"));
    case "math":
      return mathText(element);
    case "td":
    case "th":
    case "li":
    case "p":
    case "div":
      return ` ${collect(element.childNodes)} `;
    default:
      return collect(element.childNodes);
  }
}

function codeSpan(text: string): string {
  const code = text.trim();
  return code === "" || code.includes("`") || code.includes("\n") ? text : text.replace(code, () => `\`${code}\``);
}

/** Web addresses stay as Markdown links; links within the site or page carry nothing outside of it. */
function link(text: string, href: string | null): string {
  const label = text.trim();
  if (label === "" || href === null || !/^(?:https?:|mailto:)/i.test(href.trim())) return text;
  const target = href.trim().replace(/[\s()<>]/g, encodeURIComponent);
  if (target === label || /[[\]\n]/.test(label) || target.length > 500) return text;
  return text.replace(label, () => `[${label}](${target})`);
}

/** A formula as TeX, when the page carries that beside the MathML. */
function mathText(element: HtmlParent): string {
  for (const child of descendants(element)) {
    if (child.tagName === "annotation" && /tex/i.test(attribute(child, "encoding") ?? ""))
      return `$${rawText(child).trim()}$`;
  }
  return "childNodes" in element ? collect(element.childNodes) : "";
}
