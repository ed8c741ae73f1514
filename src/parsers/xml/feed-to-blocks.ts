import type { ParsedDocument } from "../../interfaces/parser.js";
import type { Metadata } from "../../types.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import { childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Whether the root is that of a feed: RSS 0.9 to 2.0, or Atom. */
export function isFeed(root: XmlElement): boolean {
  if (root.name === "rss") return true;
  if (localName(root) === "RDF") return childElements(root).some((element) => localName(element) === "channel");
  return (
    localName(root) === "feed" &&
    childElements(root).some((element) => /^(?:entry|id|updated)$/.test(localName(element)))
  );
}

/** Adds a feed: its title, and each entry as a section with link, date, author, categories and content. */
export async function feedToBlocks(
  list: BlockList,
  root: XmlElement,
  images: boolean,
): Promise<Pick<ParsedDocument, "title" | "mimeType" | "metadata">> {
  const [{ parseHtml }, { htmlToBlocks }] = await Promise.all([
    import("../shared/html/html-tree.js"),
    import("../shared/html/html-to-blocks.js"),
  ]);
  const addHtml = (html: string): void => htmlToBlocks(list, parseHtml(html), { images });
  const isAtom = localName(root) === "feed";
  const channel = isAtom ? root : (named(root, "channel") ?? root);
  const title = textOf(channel, "title");
  list.heading(1, title);
  addHtml(htmlOf(named(channel, isAtom ? "subtitle" : "description")));
  // RSS 1.0 has its items beside the channel.
  const entries = [...childElements(channel), ...(channel === root ? [] : childElements(root))].filter((element) =>
    /^(?:item|entry)$/.test(localName(element)),
  );
  for (const entry of entries) {
    list.heading(2, textOf(entry, "title") || linkOf(entry));
    list.add("paragraph", factsOf(entry).join("\n"));
    const content = named(entry, "encoded") ?? named(entry, "content");
    const summary = named(entry, "description") ?? named(entry, "summary");
    addHtml(htmlOf(content !== undefined && htmlOf(content).trim() !== "" ? content : summary));
  }
  const mimeType = isAtom ? "application/atom+xml" : "application/rss+xml";
  return { title: title || null, mimeType, metadata: metadataOf(channel) };
}

function factsOf(entry: XmlElement): string[] {
  const author = named(entry, "creator") ?? named(entry, "author");
  const name = author === undefined ? "" : textOf(author, "name") || collapsed(textContent(author));
  const categories = childElements(entry)
    .filter((element) => localName(element) === "category")
    .map((element) => collapsed(textContent(element)) || element.attributes.label || element.attributes.term || "");
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
  for (const name of ["pubDate", "published", "date", "updated", "lastBuildDate"]) {
    const date = textOf(element, name);
    if (date !== "") return date;
  }
  return "";
}

function linkOf(element: XmlElement): string {
  const links = childElements(element).filter((child) => localName(child) === "link");
  const link =
    links.find((child) => collapsed(textContent(child)) !== "") ??
    links.find((child) => (child.attributes.rel ?? "alternate") === "alternate");
  return link === undefined ? "" : collapsed(textContent(link)) || (link.attributes.href ?? "");
}

/** The child of a local name, preferably without a prefix: `media:title` is of another vocabulary. */
function named(parent: XmlElement, name: string): XmlElement | undefined {
  const matches = childElements(parent).filter((element) => localName(element) === name);
  return matches.find((element) => element.name === name) ?? matches[0];
}

function textOf(parent: XmlElement, name: string): string {
  const element = named(parent, name);
  if (element === undefined) return "";
  const text = collapsed(textContent(element));
  // Titles in Atom and in many RSS feeds are HTML within text.
  return /<[a-z/]/i.test(text) ? collapsed(text.replace(/<[^<>]*>/g, "")) : text;
}

/** Content as HTML: text is HTML already, elements are serialized. */
function htmlOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  return element.children.every((node) => typeof node === "string")
    ? textContent(element)
    : element.children.map(written).join("");
}

function written(node: XmlElement | string, depth = 0): string {
  if (typeof node === "string") return escapeXml(node);
  if (depth > 500) return escapeXml(textContent(node));
  const name = localName(node);
  const attributes = Object.entries(node.attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value).replaceAll('"', "&quot;")}"`,
  );
  return `<${name}${attributes.join("")}>${node.children.map((child) => written(child, depth + 1)).join("")}</${name}>`;
}

function localName(element: XmlElement): string {
  return element.name.slice(element.name.indexOf(":") + 1);
}

function collapsed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
