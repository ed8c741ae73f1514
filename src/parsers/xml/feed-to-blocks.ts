import type { ParsedDocument } from "../../interfaces/parser.js";
import type { Metadata } from "../../types.js";
import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import { childElements, localName, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Returns whether a root element belongs to a feed: RSS 0.9 to 2.0, or Atom. */
export function isFeed(root: XmlElement): boolean {
  if (root.name === "rss") return true;
  if (localName(root.name) === "RDF")
    return childElements(root).some((element) => localName(element.name) === "channel");
  return (
    localName(root.name) === "feed" &&
    childElements(root).some((element) => /^(?:entry|id|updated)$/.test(localName(element.name)))
  );
}

/** Adds a feed: its title, and each entry as a section with its link, date, author, categories and content. */
export async function feedToBlocks(
  list: BlockList,
  root: XmlElement,
  addsImages: boolean,
): Promise<Pick<ParsedDocument, "title" | "mimeType" | "metadata">> {
  const [{ parseHtml }, { htmlToBlocks }] = await Promise.all([
    import("../shared/html/html-tree.js"),
    import("../shared/html/html-to-blocks.js"),
  ]);
  const addHtml = (html: string): void => htmlToBlocks(list, parseHtml(html), { addsImages });
  const isAtom = localName(root.name) === "feed";
  const channel = isAtom ? root : (childNamed(root, "channel") ?? root);
  const title = textOf(channel, "title");
  list.heading(1, title);
  addHtml(htmlOf(childNamed(channel, isAtom ? "subtitle" : "description")));
  // In RSS 1.0, the items are siblings of the channel.
  const entries = [...childElements(channel), ...(channel === root ? [] : childElements(root))].filter((element) =>
    /^(?:item|entry)$/.test(localName(element.name)),
  );
  for (const entry of entries) {
    list.heading(2, textOf(entry, "title") || linkOf(entry));
    list.add("paragraph", entryDetails(entry).join("\n"));
    const content = childNamed(entry, "encoded") ?? childNamed(entry, "content");
    const summary = childNamed(entry, "description") ?? childNamed(entry, "summary");
    addHtml(htmlOf(content !== undefined && htmlOf(content).trim() !== "" ? content : summary));
  }
  const mimeType = isAtom ? "application/atom+xml" : "application/rss+xml";
  return { title: title || null, mimeType, metadata: metadataOf(channel) };
}

function entryDetails(entry: XmlElement): string[] {
  const author = childNamed(entry, "creator") ?? childNamed(entry, "author");
  const name = author === undefined ? "" : textOf(author, "name") || collapseWhitespace(textContent(author));
  const categories = childElements(entry)
    .filter((element) => localName(element.name) === "category")
    .map(
      (element) =>
        collapseWhitespace(textContent(element)) || element.attributes.label || element.attributes.term || "",
    );
  return [
    ["Link", linkOf(entry)],
    ["Date", dateOf(entry)],
    ["Author", name],
    ["Categories", [...new Set(categories)].filter((category) => category !== "").join(", ")],
  ].flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${value}`]));
}

function metadataOf(channel: XmlElement): Metadata {
  const entries = [
    ["url", linkOf(channel)],
    ["language", textOf(channel, "language")],
    ["updated", dateOf(channel)],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

function dateOf(element: XmlElement): string {
  const names = ["pubDate", "published", "date", "updated", "lastBuildDate"];
  return names.map((name) => textOf(element, name)).find((date) => date !== "") ?? "";
}

function linkOf(element: XmlElement): string {
  const links = childElements(element).filter((child) => localName(child.name) === "link");
  const link =
    links.find((child) => collapseWhitespace(textContent(child)) !== "") ??
    links.find((child) => (child.attributes.rel ?? "alternate") === "alternate");
  return link === undefined ? "" : collapseWhitespace(textContent(link)) || (link.attributes.href ?? "");
}

/** Returns the child with a local name. Prefers one without a prefix: `media:title` belongs to another vocabulary. */
function childNamed(parent: XmlElement, name: string): XmlElement | undefined {
  const matches = childElements(parent).filter((element) => localName(element.name) === name);
  return matches.find((element) => element.name === name) ?? matches[0];
}

function textOf(parent: XmlElement, name: string): string {
  const element = childNamed(parent, name);
  if (element === undefined) return "";
  const text = collapseWhitespace(textContent(element));
  // Titles in Atom and in many RSS feeds are HTML within text.
  return /<[a-z/]/i.test(text) ? collapseWhitespace(text.replace(/<[^<>]*>/g, "")) : text;
}

/** Returns the content of an element as HTML. Text content is HTML already; child elements are serialized. */
function htmlOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  return element.children.every((node) => typeof node === "string")
    ? textContent(element)
    : element.children.map(serialize).join("");
}

function serialize(node: XmlElement | string, depth = 0): string {
  if (typeof node === "string") return escapeXml(node);
  if (depth > 500) return escapeXml(textContent(node));
  const name = localName(node.name);
  const attributes = Object.entries(node.attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value).replaceAll('"', "&quot;")}"`,
  );
  const content = node.children.map((child) => serialize(child, depth + 1)).join("");
  return `<${name}${attributes.join("")}>${content}</${name}>`;
}
