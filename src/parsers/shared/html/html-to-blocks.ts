import type { ReadPicture } from "../../../interfaces/block.js";
import type { BlockList } from "../blocks/block-list.js";
import { type ImageOptions, withPicture } from "./find-picture.js";
import { inlineText, isHidden } from "./html-inline.js";
import { cellsOf, htmlTable, isLayoutTable, tableRows } from "./html-table.js";
import {
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  type HtmlNode,
  type HtmlParent,
  isElement,
  rawText,
} from "./html-tree.js";

export interface HtmlBlocksOptions extends ImageOptions {
  /** Whether the page's header, footer and navigation are separated from its text; off for converted documents. */
  readonly chrome: boolean;
}

/** Block-level elements. Unknown elements are inline. */
const BLOCK_LEVEL = new Set([
  "address",
  "article",
  "aside",
  "blockquote",
  "body",
  "caption",
  "center",
  "dd",
  "details",
  "dir",
  "div",
  "dl",
  "dt",
  "fieldset",
  "figcaption",
  "figure",
  "footer",
  "form",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "header",
  "hgroup",
  "hr",
  "html",
  "legend",
  "li",
  "main",
  "menu",
  "nav",
  "ol",
  "p",
  "pre",
  "search",
  "section",
  "summary",
  "table",
  "tbody",
  "td",
  "tfoot",
  "th",
  "thead",
  "tr",
  "ul",
  "img",
  "xmp",
  "listing",
]);

/** Adds the visible content of a node as blocks: headings, paragraphs, lists, tables, code, captions, images. */
export function htmlToBlocks(list: BlockList, root: HtmlParent, options: HtmlBlocksOptions): void {
  new Walk(list, options).children(root, 0);
}

type TextKind = "paragraph" | "caption" | "note" | "page_header" | "page_footer";

class Walk {
  readonly #list: BlockList;
  readonly #options: HtmlBlocksOptions;
  // Cached: otherwise every inline ancestor asks again, and deep markup costs its depth for each node.
  readonly #holdsBlocks = new Map<HtmlElement, boolean>();
  #kind: TextKind = "paragraph";
  #judgesMenus: boolean;

  constructor(list: BlockList, options: HtmlBlocksOptions) {
    this.#list = list;
    this.#options = options;
    this.#judgesMenus = options.chrome;
  }

  /** Walks a container: runs of inline content between blocks become paragraphs. */
  children(parent: HtmlParent, listDepth: number): void {
    let run: HtmlNode[] = [];
    const flush = (): void => {
      if (run.length > 0) this.#list.add(this.#kind, inlineText(run));
      this.#picturesIn(run);
      run = [];
    };
    for (const node of parent.childNodes) {
      if (isHidden(node)) continue;
      if (isElement(node) && this.#isBlock(node)) {
        flush();
        this.#block(node, listDepth);
      } else run.push(node);
    }
    flush();
  }

  #block(element: HtmlElement, listDepth: number) {
    const name = element.tagName;
    if (/^h[1-6]$/.test(name)) return this.#heading(element);
    switch (name) {
      case "pre":
      case "xmp":
      case "listing":
        return this.#list.add("code", rawText(element).replace(/^\n+|\s+$/g, ""), language(element));
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#items(element, listDepth + 1);
      case "table":
        return this.#table(element, listDepth);
      case "img":
        return this.#list.add("image", (attribute(element, "alt") ?? "").trim(), withPicture(this.#picture(element)));
      case "dd":
        return this.#item(element, 1, undefined);
      case "caption":
      case "figcaption":
        return this.#as("caption", element, listDepth);
      case "aside":
        return isNote(element) ? this.#as("note", element, listDepth) : this.children(element, listDepth);
      case "nav":
        return this.#nav(element, listDepth);
      case "header":
      case "footer":
        return this.#furniture(element, listDepth);
      default:
        return this.children(element, listDepth);
    }
  }

  #nav(element: HtmlElement, listDepth: number): void {
    const outer = this.#judgesMenus;
    if (outer && isMenu(element)) return;
    // The content has been counted already.
    this.#judgesMenus = false;
    this.children(element, listDepth);
    this.#judgesMenus = outer;
  }

  #picture(image: HtmlElement): ReadPicture | undefined {
    return this.#options.findPicture?.(attribute(image, "src") ?? "");
  }

  /** Adds the images within a text after it: their descriptions are part of the text. */
  #picturesIn(nodes: readonly HtmlNode[]): void {
    if (!this.#options.images || !this.#options.findPicture) return;
    for (const node of nodes) {
      if (!isElement(node)) continue;
      for (const element of [node, ...descendants(node)]) {
        const picture = element.tagName === "img" ? this.#picture(element) : undefined;
        if (picture) this.#list.add("image", "", { picture });
      }
    }
  }

  #heading(element: HtmlElement) {
    if (this.#kind === "page_header" || this.#kind === "page_footer") return this.children(element, 0);
    const text = inlineText(element.childNodes);
    this.#list.heading(Number(element.tagName[1]), text);
    if (text !== "") return this.#picturesIn(element.childNodes);
    for (const image of descendants(element)) if (image.tagName === "img" && hasAlt(image)) this.#block(image, 0);
  }

  /** The header and footer of the page; those of an article, or with a heading in them, are content. */
  #furniture(element: HtmlElement, listDepth: number): void {
    const isFooter = element.tagName === "footer";
    const isContent = !this.#options.chrome || isWithinContent(element) || (!isFooter && holdsHeading(element));
    this.#as(isContent ? this.#kind : isFooter ? "page_footer" : "page_header", element, listDepth);
  }

  #as(kind: TextKind, element: HtmlElement, listDepth: number): void {
    const outer = this.#kind;
    this.#kind = kind;
    this.children(element, listDepth);
    this.#kind = outer;
  }

  #items(element: HtmlElement, depth: number): void {
    let number = Number.parseInt(attribute(element, "start") ?? "1", 10) || 1;
    for (const child of childElements(element)) {
      if (isHidden(child)) continue;
      if (child.tagName !== "li") {
        this.#block(child, depth - 1);
        continue;
      }
      const value = Number.parseInt(attribute(child, "value") ?? "", 10);
      if (Number.isFinite(value)) number = value;
      this.#item(child, depth, this.#printedMarker(child) ?? (element.tagName === "ol" ? `${number}.` : undefined));
      number++;
    }
  }

  /** The marker that a converter took from a document, if it is no plain number. */
  #printedMarker(item: HtmlElement): string | undefined {
    return this.#options.chrome ? undefined : (attribute(item, "data-marker") ?? undefined);
  }

  /** The item's own text first, then its blocks: nested lists one level deeper, code and tables unchanged. */
  #item(element: HtmlElement, depth: number, marker: string | undefined) {
    if (this.#kind === "page_header" || this.#kind === "page_footer") return this.children(element, depth);
    const leading: HtmlNode[] = [];
    const nodes = element.childNodes.filter((node) => !isHidden(node));
    let next = 0;
    while (next < nodes.length) {
      const node = nodes[next]!;
      if (isElement(node) && this.#isBlock(node) && !isPlainParagraph(node)) break;
      if (leading.some(isVisible) && isElement(node) && isPlainParagraph(node)) break;
      leading.push(node);
      next++;
    }
    const isNote = /^(?:foot|end)note-/.test(attribute(element, "id") ?? "");
    const text = inlineText(leading).replace(/\s*↑$/, "");
    if (isNote) this.#list.add("note", text);
    else this.#list.add("list_item", text, { level: depth, ...(marker === undefined ? {} : { marker }) });
    this.#picturesIn(leading);
    const isBare = text === "";
    for (const node of nodes.slice(next)) {
      if (isElement(node) && this.#isBlock(node)) this.#block(node, isBare ? depth - 1 : depth);
      else {
        this.#list.add(this.#kind, inlineText([node]));
        this.#picturesIn([node]);
      }
    }
  }

  /** Whether an element is or contains a block: `<span><div>` is common on real pages. */
  #isBlock(element: HtmlElement): boolean {
    if (element.tagName === "img") {
      const isShown = hasAlt(element) || this.#picture(element) !== undefined;
      return this.#options.images && isShown && standsAlone(element);
    }
    if (BLOCK_LEVEL.has(element.tagName)) return true;
    const known = this.#holdsBlocks.get(element);
    if (known !== undefined) return known;
    const holds = childElements(element).some((child) => child.tagName !== "img" && this.#isBlock(child));
    this.#holdsBlocks.set(element, holds);
    return holds;
  }

  #table(element: HtmlElement, listDepth: number) {
    for (const caption of childElements(element)) if (caption.tagName === "caption") this.#block(caption, listDepth);
    if (!isLayoutTable(element)) {
      const { titles, header, rows } = htmlTable(element);
      for (const title of titles) this.#list.add("caption", title);
      this.#list.table(header, rows);
      return this.#picturesIn([element]);
    }
    for (const row of tableRows(element))
      for (const cell of cellsOf(row)) if (!isHidden(cell)) this.children(cell, listDepth);
  }
}

/** Whether a book marks an element as a note, by type or role. */
function isNote(element: HtmlElement): boolean {
  const marks = `${attribute(element, "epub:type") ?? ""} ${attribute(element, "role") ?? ""}`;
  return /(?:^|[\s-])(?:foot|end|rear)note(?:\s|$)/.test(marks);
}

/**
 * Whether navigation links to other pages of the site in a few words, like a menu. A table of contents links within the
 * page and a list of articles has their titles: both count as text.
 */
function isMenu(nav: HtmlElement): boolean {
  const links = [...descendants(nav)].filter(
    (element) => element.tagName === "a" && attribute(element, "href") !== null,
  );
  if (links.length < 3) return true;
  const within = links.filter((link) => attribute(link, "href")!.startsWith("#")).length;
  const words = links.map((link) => inlineText(link.childNodes).split(/\s+/).length).sort((a, b) => a - b);
  return within < links.length * 0.8 && words[words.length >> 1]! < 4;
}

function hasAlt(image: HtmlElement): boolean {
  return /\S/.test(attribute(image, "alt") ?? "");
}

/** An image beside text is inline; one alone in its parent is a block. */
function standsAlone(image: HtmlElement): boolean {
  return (image.parentNode?.childNodes ?? []).every((node) =>
    "value" in node
      ? node.value.trim() === ""
      : !isElement(node) || node.tagName === "img" || node.tagName === "br" || BLOCK_LEVEL.has(node.tagName),
  );
}

function isVisible(node: HtmlNode): boolean {
  return isElement(node) || ("value" in node && node.value.trim() !== "");
}

function isPlainParagraph(element: HtmlElement): boolean {
  if (!/^(?:p|div)$/.test(element.tagName)) return false;
  return childElements(element).every((child) => !BLOCK_LEVEL.has(child.tagName));
}

function isWithinContent(element: HtmlElement): boolean {
  for (let node: HtmlParent | null = element.parentNode; node !== null && isElement(node); node = node.parentNode) {
    if (/^(?:article|main|section|blockquote)$/.test(node.tagName)) return true;
  }
  return false;
}

function holdsHeading(element: HtmlElement): boolean {
  for (const child of descendants(element)) if (/^h[1-6]$/.test(child.tagName)) return true;
  return false;
}

/** The language in a class of syntax highlighters, such as `language-ts`. */
function language(element: HtmlElement): { language?: string } {
  for (const candidate of [element, ...childElements(element)]) {
    const match = /(?:^|\s)(?:language|lang|highlight-source|brush:)-?([\w+#-]+)/.exec(
      attribute(candidate, "class") ?? "",
    );
    if (match) return { language: match[1]! };
  }
  return {};
}
