import type { Metadata } from "../../types.js";
import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { type ImageOptions, imageDetails } from "../shared/html/image-options.js";
import { webLink } from "../shared/html/web-link.js";
import { child, childElements, textContent, type XmlElement, type XmlNode } from "../shared/xml/xml-tree.js";

/** Adds the bodies of a FictionBook. Returns its title and metadata. */
export function addBook(
  list: BlockList,
  root: XmlElement,
  options: ImageOptions,
): { title: string | null; metadata: Metadata } {
  const reader = new BookReader(list, options);
  for (const body of childElements(root, "body")) {
    if (/^(?:notes|comments|footnotes)$/i.test(body.attributes.name ?? "")) reader.addNotes(body);
    else reader.addChildren(body, 1);
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

  addChildren(parent: XmlElement, level: number): void {
    let code: string[] = [];
    const flush = (): void => {
      this.#list.add("code", code.join("\n"));
      code = [];
    };
    for (const element of childElements(parent)) {
      const line = codeLineOf(element);
      if (line !== null) code.push(line);
      else {
        flush();
        this.#addBlock(element, level);
      }
    }
    flush();
  }

  /** Adds each section as a note. Its title is the label by which the text refers to the note. */
  addNotes(body: XmlElement): void {
    for (const section of childElements(body)) {
      if (childElements(section, "section").length > 0) this.addNotes(section);
      else if (section.name === "section") {
        const label = multilineText(child(section, "title")).replace(/^\[(.*)\]$/, "$1");
        const text = childElements(section)
          .filter(({ name }) => name !== "title")
          .map(multilineText)
          .join("\n")
          .trim();
        this.#list.add("note", label === "" || text === "" ? text : `[${label}] ${text}`);
      }
    }
  }

  #addBlock(element: XmlElement, level: number) {
    switch (element.name) {
      case "title":
        return this.#list.heading(level, multilineText(element));
      case "section":
        return this.addChildren(element, level + 1);
      case "subtitle":
        return this.#addSubtitle(inlineText(element.children), level);
      case "image":
        return this.#addImage(element);
      case "table":
        return this.#addTable(element);
      case "stanza":
        return this.#list.add("paragraph", multilineText(element));
      case "p":
      case "v":
      case "text-author":
      case "date":
        return this.#addParagraph(element);
      default:
        return this.addChildren(element, level);
    }
  }

  /**
   * Adds a subtitle. A subtitle without letters or digits, such as three asterisks, only separates scenes and
   * becomes a paragraph.
   */
  #addSubtitle(text: string, level: number): void {
    if (/[\p{L}\d]/u.test(text)) this.#list.heading(level + 1, text);
    else this.#list.add("paragraph", text);
  }

  #addParagraph(element: XmlElement): void {
    this.#list.add("paragraph", inlineText(element.children));
    for (const image of childElements(element, "image")) this.#addImage(image);
  }

  #addImage(element: XmlElement): void {
    const { addsImages, findImage } = this.#options;
    const text = element.attributes.alt ?? element.attributes.title ?? "";
    if (addsImages) this.#list.add("image", text.trim(), imageDetails(findImage?.(hrefOf(element))));
  }

  #addTable(element: XmlElement): void {
    const rows = childElements(element, "tr").map((row) =>
      childElements(row).flatMap((cell) => {
        const span = Math.min(100, Math.max(1, Number.parseInt(cell.attributes.colspan ?? "1", 10) || 1));
        return new Array<string>(span).fill(inlineText(cell.children));
      }),
    );
    this.#list.table(rows[0] ?? [], rows.slice(1));
  }
}

/** Returns the text of a paragraph that is a line of code, or `null` for any other element. */
function codeLineOf(element: XmlElement): string | null {
  const [only, ...others] = childElements(element);
  if (element.name !== "p" || only?.name !== "code" || others.length > 0) return null;
  return textContent(only).trim() === textContent(element).trim() ? textContent(only).trimEnd() : null;
}

/** Returns the text of an element, with a line for each paragraph. */
function multilineText(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  const parts = childElements(element).filter(({ name }) => /^(?:p|v|subtitle|text-author|title)$/.test(name));
  if (parts.length === 0) {
    const containers = childElements(element).filter(({ name }) => /^(?:poem|stanza|cite|epigraph)$/.test(name));
    return containers.length === 0 ? inlineText(element.children) : containers.map(multilineText).join("\n");
  }
  return parts.map((part) => (part.name === "title" ? multilineText(part) : inlineText(part.children))).join("\n");
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
