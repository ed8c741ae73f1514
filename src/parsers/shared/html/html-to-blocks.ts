import type { Block, ReadImage } from "../../../interfaces/block.js";
import { BlockList, tableName } from "../blocks/block-list.js";
import { displayedElements, inlineText, isHidden } from "./html-inline.js";
import { cellsOf, htmlTable, isLayoutTable, nestedTables, tableRows } from "./html-table.js";
import {
  ancestors,
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  type HtmlNode,
  type HtmlParent,
  hasDescendant,
  isElement,
  isHeading,
  rawText,
} from "./html-tree.js";
import { type ImageOptions, imageDetails } from "./image-options.js";

export interface HtmlBlocksOptions extends ImageOptions {
  /** Whether to separate the header, footer and navigation of a whole page from its text. @default false */
  readonly isWholePage?: boolean;
}

/** Block-level elements. Unknown elements are inline. */
const BLOCK_LEVEL = new Set(
  (
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html img legend li listing main menu nav ol p pre search section " +
    "summary table tbody td tfoot th thead tr ul xmp"
  ).split(" "),
);

/** Adds the visible content of a node as blocks: headings, paragraphs, lists, tables, code, captions, images. */
export function htmlToBlocks(list: BlockList, root: HtmlParent, options: HtmlBlocksOptions): void {
  new HtmlWalker(list, options).walk(root, 0);
}

/** Returns the blocks of a whole page, with its header, footer and navigation separated from its text. */
export function htmlBlocks(page: HtmlParent, options: ImageOptions): readonly Block[] {
  const list = new BlockList();
  htmlToBlocks(list, page, { ...options, isWholePage: true });
  return list.blocks;
}

type TextKind = "paragraph" | "caption" | "note" | "page_header" | "page_footer";

class HtmlWalker {
  readonly #list: BlockList;
  readonly #options: HtmlBlocksOptions;
  // A cache: without it, every inline ancestor would compute the value again.
  readonly #hasBlocksByElement = new Map<HtmlElement, boolean>();
  #kind: TextKind = "paragraph";
  #skipsMenus: boolean;

  constructor(list: BlockList, options: HtmlBlocksOptions) {
    this.#list = list;
    this.#options = options;
    this.#skipsMenus = options.isWholePage === true;
  }

  /** Adds the content of a container: runs of inline content between blocks become paragraphs. */
  walk(parent: HtmlParent, listDepth: number): void {
    let run: HtmlNode[] = [];
    const flush = (): void => {
      if (run.length > 0) this.#list.add(this.#kind, inlineText(run));
      this.#addImages(run);
      run = [];
    };
    for (const node of parent.childNodes) {
      if (isHidden(node)) continue;
      if (isElement(node) && this.#isBlock(node)) {
        flush();
        this.#addBlock(node, listDepth);
      } else run.push(node);
    }
    flush();
  }

  #addBlock(element: HtmlElement, listDepth: number) {
    const name = element.tagName;
    if (isHeading(element)) return this.#addHeading(element);
    switch (name) {
      case "pre":
      case "xmp":
      case "listing":
        return this.#list.add("code", rawText(element).replace(/^\n+|\s+$/g, ""), languageDetails(element));
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#addItems(element, listDepth + 1);
      case "table":
        return this.#addTable(element, listDepth);
      case "img":
        return this.#list.add(
          "image",
          (attribute(element, "alt") ?? "").trim(),
          imageDetails(this.#findPicture(element)),
        );
      case "dd":
        return this.#addItem(element, 1, undefined);
      case "caption":
      case "figcaption":
        return this.#walkAs("caption", element, listDepth);
      case "aside":
        return isNote(element) ? this.#walkAs("note", element, listDepth) : this.walk(element, listDepth);
      case "nav":
        return this.#addNav(element, listDepth);
      case "header":
      case "footer":
        return this.#addHeaderOrFooter(element, listDepth);
      default:
        return this.walk(element, listDepth);
    }
  }

  #addNav(element: HtmlElement, listDepth: number): void {
    const outer = this.#skipsMenus;
    if (outer && isMenu(element)) return;
    // `isMenu` has already counted the links of nested navigation.
    this.#skipsMenus = false;
    this.walk(element, listDepth);
    this.#skipsMenus = outer;
  }

  #findPicture(image: HtmlElement): ReadImage | undefined {
    return this.#options.findImage?.(attribute(image, "src") ?? "");
  }

  /** Adds the images in a text after the text, without their descriptions, which are part of the text. */
  #addImages(nodes: readonly HtmlNode[]): void {
    if (!this.#options.addsImages || !this.#options.findImage) return;
    for (const element of displayedElements(nodes)) {
      const readImage = element.tagName === "img" ? this.#findPicture(element) : undefined;
      if (readImage) this.#list.add("image", "", { readImage });
    }
  }

  #addHeading(element: HtmlElement) {
    if (this.#kind === "page_header" || this.#kind === "page_footer") return this.walk(element, 0);
    const text = inlineText(element.childNodes);
    this.#list.heading(Number(element.tagName[1]), text);
    if (text !== "") return this.#addImages(element.childNodes);
    for (const image of descendants(element)) if (image.tagName === "img" && hasAlt(image)) this.#addBlock(image, 0);
  }

  /** Adds a header or footer, which counts as content within an article, or if it is a header with a heading. */
  #addHeaderOrFooter(element: HtmlElement, listDepth: number): void {
    const isFooter = element.tagName === "footer";
    const isContent =
      !this.#options.isWholePage || isWithinContent(element) || (!isFooter && hasDescendant(element, /^h[1-6]$/));
    this.#walkAs(isContent ? this.#kind : isFooter ? "page_footer" : "page_header", element, listDepth);
  }

  #walkAs(kind: TextKind, element: HtmlElement, listDepth: number): void {
    const outer = this.#kind;
    this.#kind = kind;
    this.walk(element, listDepth);
    this.#kind = outer;
  }

  #addItems(element: HtmlElement, depth: number): void {
    let number = Number.parseInt(attribute(element, "start") ?? "1", 10) || 1;
    for (const child of childElements(element)) {
      if (isHidden(child)) continue;
      if (child.tagName !== "li") {
        this.#addBlock(child, depth - 1);
        continue;
      }
      const value = Number.parseInt(attribute(child, "value") ?? "", 10);
      if (Number.isFinite(value)) number = value;
      // The reader of Word documents gives markers as displayed, unless they are plain numbers.
      const displayed = this.#options.isWholePage ? null : attribute(child, "data-marker");
      this.#addItem(child, depth, displayed ?? (element.tagName === "ol" ? `${number}.` : undefined));
      number++;
    }
  }

  /** Adds the text of an item, then its blocks: nested lists one level deeper, code and tables unchanged. */
  #addItem(element: HtmlElement, depth: number, marker: string | undefined) {
    if (this.#kind === "page_header" || this.#kind === "page_footer") return this.walk(element, depth);
    const leading: HtmlNode[] = [];
    const nodes = element.childNodes.filter((node) => !isHidden(node));
    for (const node of nodes) {
      if (isElement(node) && (isPlainParagraph(node) ? leading.some(isVisible) : this.#isBlock(node))) break;
      leading.push(node);
    }
    const isNote = /^(?:foot|end)note-/.test(attribute(element, "id") ?? "");
    const text = inlineText(leading).replace(/\s*↑$/, "");
    if (isNote) this.#list.add("note", text);
    else this.#list.add("list_item", text, { level: depth, ...(marker === undefined ? {} : { marker }) });
    this.#addImages(leading);
    for (const node of nodes.slice(leading.length)) {
      if (isElement(node) && this.#isBlock(node)) this.#addBlock(node, text === "" ? depth - 1 : depth);
      else {
        this.#list.add(this.#kind, inlineText([node]));
        this.#addImages([node]);
      }
    }
  }

  /** Whether an element is or contains a block: `<span><div>` is common on real pages. */
  #isBlock(element: HtmlElement): boolean {
    if (element.tagName === "img") {
      const isShown = hasAlt(element) || this.#findPicture(element) !== undefined;
      return this.#options.addsImages && isShown && isBlockImage(element);
    }
    if (BLOCK_LEVEL.has(element.tagName)) return true;
    const known = this.#hasBlocksByElement.get(element);
    if (known !== undefined) return known;
    const hasBlocks = childElements(element).some((child) => child.tagName !== "img" && this.#isBlock(child));
    this.#hasBlocksByElement.set(element, hasBlocks);
    return hasBlocks;
  }

  #addTable(element: HtmlElement, listDepth: number) {
    const captions = childElements(element).filter((child) => child.tagName === "caption" && !isHidden(child));
    for (const caption of captions) this.#addBlock(caption, listDepth);
    if (!isLayoutTable(element)) {
      const { titles, header, rows, headerRows, spans } = htmlTable(element);
      for (const title of titles) this.#list.add("caption", title);
      const name = tableName([...captions.map((caption) => inlineText(caption.childNodes)), ...titles]);
      this.#list.table(header, rows, { table: { ...name, headerRows, spans } });
      this.#addImages(element.childNodes);
      for (const nested of nestedTables(element)) this.#addTable(nested, listDepth);
      return;
    }
    for (const row of tableRows(element))
      for (const cell of cellsOf(row)) if (!isHidden(cell)) this.walk(cell, listDepth);
  }
}

/** Whether a book marks an element as a note by its type or role. */
function isNote(element: HtmlElement): boolean {
  const types = `${attribute(element, "epub:type") ?? ""} ${attribute(element, "role") ?? ""}`;
  return /(?:^|[\s-])(?:foot|end|rear)note(?:\s|$)/.test(types);
}

/**
 * Whether navigation is a menu, which links to other pages in a few words. A table of contents links within the page,
 * and a list of articles links by titles: both count as text.
 */
function isMenu(nav: HtmlElement): boolean {
  const links = [...descendants(nav)].filter(
    (element) => element.tagName === "a" && attribute(element, "href") !== null,
  );
  if (links.length < 3) return true;
  const anchorCount = links.filter((link) => attribute(link, "href")!.startsWith("#")).length;
  const wordCounts = links.map((link) => inlineText(link.childNodes).split(/\s+/).length).sort((a, b) => a - b);
  return anchorCount < links.length * 0.8 && wordCounts[wordCounts.length >> 1]! < 4;
}

function hasAlt(image: HtmlElement): boolean {
  return /\S/.test(attribute(image, "alt") ?? "");
}

/** Whether an image is a block rather than inline: there is no text next to it in its parent. */
function isBlockImage(image: HtmlElement): boolean {
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
  for (const { tagName } of ancestors(element)) if (/^(?:article|main|section|blockquote)$/.test(tagName)) return true;
  return false;
}

/** Returns the language in a syntax highlighter's class, such as `language-ts`. */
function languageDetails(element: HtmlElement): { language?: string } {
  for (const candidate of [element, ...childElements(element)]) {
    const classNames = attribute(candidate, "class") ?? "";
    const match = /(?:^|\s)(?:language|lang|highlight-source|brush:)-?([\w+#-]+)/.exec(classNames);
    if (match) return { language: match[1]! };
  }
  return {};
}
