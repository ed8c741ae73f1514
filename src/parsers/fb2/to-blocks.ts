import type { Metadata } from "../../types.js";
import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { type ImageOptions, imageDetails } from "../shared/html/image-options.js";
import { webLink } from "../shared/html/web-link.js";
import { child, childElements, textContent, type XmlElement, type XmlNode } from "../shared/xml/xml-tree.js";

/** Adds a FictionBook's bodies and returns its metadata. */
export function addBook(
  list: BlockList,
  root: XmlElement,
  options: ImageOptions,
): { title: string | null; metadata: Metadata } {
  const reader = new BookReader(list, options);
  for (const body of childElements(root, "body")) {
    if (/^(?:notes|comments|footnotes)$/i.test(body.attributes.name ?? "")) reader.notes(body);
    else reader.children(body, 1);
  }
  return readMetadata(child(child(root, "description"), "title-info"));
}

class BookReader {
  readonly #list: BlockList;
  readonly #options: ImageOptions;

  constructor(list: BlockList, options: ImageOptions) {
    this.#list = list;
    this.#options = options;
  }

  children(parent: XmlElement, level: number): void {
    let code: string[] = [];
    const flush = (): void => {
      this.#list.add("code", code.join("\n"));
      code = [];
    };
    for (const element of childElements(parent)) {
      const line = codeLine(element);
      if (line !== null) code.push(line);
      else {
        flush();
        this.#block(element, level);
      }
    }
    flush();
  }

  /** Adds each section as a note; its title is the mark that refers to it. */
  notes(body: XmlElement): void {
    for (const section of childElements(body)) {
      if (childElements(section, "section").length > 0) this.notes(section);
      else if (section.name === "section") {
        const mark = lines(child(section, "title")).replace(/^\[(.*)\]$/, "$1");
        const text = childElements(section)
          .filter(({ name }) => name !== "title")
          .map(lines)
          .join("\n")
          .trim();
        this.#list.add("note", mark === "" || text === "" ? text : `[${mark}] ${text}`);
      }
    }
  }

  #block(element: XmlElement, level: number) {
    switch (element.name) {
      case "title":
        return this.#list.heading(level, lines(element));
      case "section":
        return this.children(element, level + 1);
      case "subtitle":
        return this.#subtitle(inlineText(element.children), level);
      case "image":
        return this.#image(element);
      case "table":
        return this.#table(element);
      case "stanza":
        return this.#list.add("paragraph", lines(element));
      case "p":
      case "v":
      case "text-author":
      case "date":
        return this.#paragraph(element);
      default:
        return this.children(element, level);
    }
  }

  /** Three asterisks separate scenes and are not a title. */
  #subtitle(text: string, level: number): void {
    if (/[\p{L}\d]/u.test(text)) this.#list.heading(level + 1, text);
    else this.#list.add("paragraph", text);
  }

  #paragraph(element: XmlElement): void {
    this.#list.add("paragraph", inlineText(element.children));
    for (const image of childElements(element, "image")) this.#image(image);
  }

  #image(element: XmlElement): void {
    const { addsImages, findImage } = this.#options;
    const text = element.attributes.alt ?? element.attributes.title ?? "";
    if (addsImages) this.#list.add("image", text.trim(), imageDetails(findImage?.(hrefOf(element))));
  }

  #table(element: XmlElement): void {
    const rows = childElements(element, "tr").map((row) =>
      childElements(row).flatMap((cell) => {
        const span = Math.min(100, Math.max(1, Number.parseInt(cell.attributes.colspan ?? "1", 10) || 1));
        return new Array<string>(span).fill(inlineText(cell.children));
      }),
    );
    this.#list.table(rows[0] ?? [], rows.slice(1));
  }
}

/** The text of a paragraph that is one line of code; `null` for any other element. */
function codeLine(element: XmlElement): string | null {
  const [only, ...others] = childElements(element);
  if (element.name !== "p" || only?.name !== "code" || others.length > 0) return null;
  return textContent(only).trim() === textContent(element).trim() ? textContent(only).trimEnd() : null;
}

/** The paragraphs within an element, one per line. */
function lines(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  const parts = childElements(element).filter(({ name }) => /^(?:p|v|subtitle|text-author|title)$/.test(name));
  if (parts.length === 0) {
    const containers = childElements(element).filter(({ name }) => /^(?:poem|stanza|cite|epigraph)$/.test(name));
    return containers.length === 0 ? inlineText(element.children) : containers.map(lines).join("\n");
  }
  return parts.map((part) => (part.name === "title" ? lines(part) : inlineText(part.children))).join("\n");
}

function inlineText(nodes: readonly XmlNode[]): string {
  return collapseWhitespace(rawText(nodes));
}

function rawText(nodes: readonly XmlNode[]): string {
  let text = "";
  for (const node of nodes) {
    if (typeof node === "string") text += node;
    else if (node.name === "a") text += linkText(node);
    else if (node.name === "code") text += codeSpan(rawText(node.children));
    else if (node.name !== "image") text += rawText(node.children);
  }
  return text;
}

function linkText(element: XmlElement): string {
  const text = rawText(element.children);
  if (element.attributes.type === "note") return `[${text.trim().replace(/^\[(.*)\]$/, "$1")}]`;
  return webLink(text, hrefOf(element));
}

function hrefOf(element: XmlElement): string {
  return Object.entries(element.attributes).find(([name]) => /(?:^|:)href$/.test(name))?.[1] ?? "";
}

function codeSpan(text: string): string {
  return text.trim() === "" || text.includes("`") ? text : `\`${text.trim()}\``;
}

function readMetadata(info: XmlElement | undefined): { title: string | null; metadata: Metadata } {
  const value = (name: string): string => collapseWhitespace(textContent(child(info, name)));
  const authors = childElements(info, "author").map((author) =>
    ["first-name", "middle-name", "last-name", "nickname"]
      .map((part) => textContent(child(author, part)).trim())
      .filter(Boolean)
      .join(" "),
  );
  const metadata: Record<string, string> = {};
  const add = (key: string, text: string): void => {
    if (text !== "") metadata[key] = text;
  };
  add("author", authors.filter(Boolean).join(", "));
  add("language", value("lang"));
  add("published", child(info, "date")?.attributes.value ?? value("date"));
  add("keywords", value("keywords"));
  add("description", value("annotation"));
  return { title: value("book-title") || null, metadata };
}
