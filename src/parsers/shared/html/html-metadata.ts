import type { Metadata } from "../../../types.js";
import { collapseWhitespace } from "../../../util/collapse-whitespace.js";
import { attribute, descendants, type HtmlParent, isElement, rawText } from "./html-tree.js";

/** Metadata keys by the names of `meta` elements. */
const META_KEYS: ReadonlyMap<string, string> = new Map([
  ["author", "author"],
  ["description", "description"],
  ["og:description", "description"],
  ["keywords", "keywords"],
  ["article:published_time", "published"],
  ["date", "published"],
]);

/** Reads the metadata of a page: title, author, description, keywords, language and date. */
export function htmlMetadata(document: HtmlParent): { title: string | null; metadata: Metadata } {
  const metadata: Record<string, string> = {};
  let title: string | null = null;
  for (const element of headElements(document)) {
    if (element.tagName === "html") {
      const language = attribute(element, "lang")?.trim();
      if (language) metadata.language = language;
    } else if (element.tagName === "title" && title === null) {
      title = collapseWhitespace(rawText(element)) || null;
    } else if (element.tagName === "meta") {
      const key = META_KEYS.get((attribute(element, "name") ?? attribute(element, "property") ?? "").toLowerCase());
      const content = attribute(element, "content")?.trim();
      if (key !== undefined && content) metadata[key] ??= content;
    }
  }
  return { title, metadata };
}

/** Yields the root element and the elements in its head. */
function* headElements(document: HtmlParent) {
  for (const child of document.childNodes) {
    if (!isElement(child)) continue;
    yield child;
    const head = child.childNodes.find((node) => isElement(node) && node.tagName === "head");
    if (head !== undefined && isElement(head)) yield* descendants(head);
  }
}
