import type { Block, BlockKind, ReadImage } from "../../interfaces/block.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { imageDetails } from "../shared/html/image-options.js";
import { itemText } from "../shared/office/outside-sections.js";
import { integer } from "../shared/xml/xml-attributes.js";
import {
  child,
  childElements,
  descendants,
  textContent,
  type XmlElement,
  type XmlNode,
} from "../shared/xml/xml-tree.js";
import { type InlineContext, noteLabel, readInlineText } from "./inline-text.js";
import type { LevelFormat } from "./list-format.js";
import { countItem, type LevelNumbers, type ListNumbers } from "./list-numbers.js";
import type { RepeatBudget } from "./table-grid.js";
import { addTable } from "./text-table.js";

/** The context shared by all walks through one document. */
export interface WalkContext extends InlineContext {
  readonly numbers: ListNumbers;
  /** The current page, from 1; `undefined` for headers and footers. */
  page: number | undefined;
  readonly addsImages: boolean;
  /**
   * Returns a function that reads the bytes of a `draw:image`, or `undefined` if they are not in the file or not needed.
   */
  readImage(image: XmlElement): ReadImage | undefined;
  readonly warnings: Set<string>;
  readonly repeatBudget: RepeatBudget;
  /** Adds the content of an embedded object. Returns false if nothing was added. */
  addObject(walk: TextWalk, frame: XmlElement): boolean;
}

type TextKind = Exclude<BlockKind, "heading" | "table">;

interface OpenList {
  readonly style: string;
  readonly formats: readonly LevelFormat[];
  readonly numbers: LevelNumbers;
  readonly level: number;
}

/** A list item whose first paragraph is still to be added with its marker. */
interface OpenItem {
  readonly level: number;
  readonly marker: string | undefined;
}

const SKIPPED_ELEMENTS = new Set([
  "text:tracked-changes",
  "text:sequence-decls",
  "text:variable-decls",
  "text:user-field-decls",
  "office:forms",
  "office:event-listeners",
  "table:shapes",
  "presentation:notes",
  "svg:title",
  "svg:desc",
]);

const UNREAD_IMAGE_WARNING = "An image without a description could not be read.";

/** Adds the content of a text, cell, frame or note as blocks. */
export class TextWalk {
  readonly list: BlockList;
  readonly context: WalkContext;
  #item: OpenItem | null = null;
  #code: string[] = [];

  constructor(list: BlockList, context: WalkContext) {
    this.list = list;
    this.context = context;
  }

  addNodes(nodes: readonly XmlNode[]): void {
    for (const node of nodes) if (typeof node !== "string") this.addElement(node);
    this.#flushCode();
  }

  addElement(element: XmlElement): void {
    const { name, attributes, children } = element;
    if (SKIPPED_ELEMENTS.has(name)) return;
    if (name !== "text:p") this.#flushCode();
    const isConditional = name === "text:section" || name === "text:hidden-paragraph";
    if (name === "text:p" || name === "text:h") this.#addParagraph(element);
    else if (name === "text:list") this.#addList(element, null);
    else if (name === "text:numbered-paragraph") this.#addNumberedParagraph(element);
    else if (name === "table:table") this.#addTable(element);
    else if (name === "text:soft-page-break") this.#advancePages(1);
    else if (name === "office:annotation" || name === "text:note") this.#addNote(element);
    else if (name === "draw:frame") this.#addFrame(element);
    else if (name.startsWith("draw:")) this.#addShape(element);
    else if (!isConditional || attributes["text:display"] !== "none") this.addNodes(children);
  }

  add(kind: TextKind, text: string, details: Partial<Pick<Block, "level" | "marker" | "readImage">> = {}): void {
    this.list.add(kind, text, { ...details, ...this.pageDetail() });
  }

  /** Adds a block of another walk on the current page. */
  addBlock(block: Block): void {
    const { page: _, ...rest } = block;
    this.list.addBlock({ ...rest, ...this.pageDetail() });
  }

  pageDetail(): { page?: number } {
    return this.context.page === undefined ? {} : { page: this.context.page };
  }

  #addParagraph(element: XmlElement): void {
    const { styles } = this.context;
    const style = element.attributes["text:style-name"];
    const { role, level } = styles.paragraphRole(style);
    if (styles.hasPageBreak("paragraph", style, "before") && this.list.blocks.length > 0) this.#advancePages(1);
    const isHeading = element.name === "text:h" || role === "heading";
    const isCode = role === "code" && !isHeading;
    const inline = readInlineText(element.children, this.context, isCode);
    const item = this.#item;
    if (inline.text !== "") this.#item = null;
    if (!isCode) this.#flushCode();
    if (isHeading) this.#addHeading(element, inline.text, level, item);
    else if (isCode && item === null) this.#code.push(inline.text);
    else if (item !== null && inline.text !== "") {
      const { level, marker } = item;
      this.add("list_item", inline.text, { level, ...(marker !== undefined && { marker }) });
    } else this.add(role === "caption" ? "caption" : "paragraph", inline.text);
    for (const anchored of inline.anchoredElements) this.addElement(anchored);
    const breakAfterCount = styles.hasPageBreak("paragraph", style, "after") ? 1 : 0;
    this.#advancePages(inline.pageBreakCount + breakAfterCount);
  }

  #addHeading(element: XmlElement, text: string, styleLevel: number, item: OpenItem | null): void {
    const { attributes } = element;
    const level = integer(attributes["text:outline-level"], styleLevel || 1);
    const isNumbered =
      element.name === "text:h" &&
      text !== "" &&
      attributes["text:is-list-header"] !== "true" &&
      this.context.styles.listStyleOf(attributes["text:style-name"]) !== "";
    const { numbers, styles } = this.context;
    const nextNumber = () =>
      isNumbered ? numbers.countHeading(styles.outline, level - 1, startValue(element)) : undefined;
    const number = item === null ? nextNumber() : item.marker;
    this.list.heading(level, number === undefined ? text : `${number} ${text}`, this.pageDetail());
  }

  #addList(element: XmlElement, outer: OpenList | null): void {
    const { attributes } = element;
    const style = attributes["text:style-name"] ?? outer?.style ?? "";
    const level = outer === null ? 0 : outer.level + 1;
    const numbers =
      outer?.numbers ??
      this.context.numbers.open({
        id: attributes["xml:id"] ?? attributes["text:id"],
        style,
        continuesId: attributes["text:continue-list"],
        isStyleContinued: attributes["text:continue-numbering"] === "true",
      });
    if (outer !== null && style !== outer.style) numbers.length = Math.min(numbers.length, level);
    const list = { style, formats: this.context.styles.listFormats(style), numbers, level };
    for (const item of childElements(element)) {
      if (item.name === "text:list-item") this.#addListItem(item, list);
      else if (item.name === "text:list-header") this.#addItemContent(item, list);
      else this.addElement(item);
    }
  }

  #addListItem(element: XmlElement, list: OpenList): void {
    // An item that contains only a list has no number: it wraps a nested list that continues.
    const hasText = childElements(element).some(({ name }) => name !== "text:list" && name !== "text:soft-page-break");
    if (hasText) {
      const marker = countItem(list.numbers, list.formats, list.level, startValue(element));
      this.#item = { level: list.level + 1, marker };
    }
    this.#addItemContent(element, list);
    this.#item = null;
  }

  #addItemContent(element: XmlElement, list: OpenList): void {
    for (const inner of childElements(element)) {
      if (inner.name === "text:list") this.#addList(inner, list);
      else this.addElement(inner);
    }
    this.#flushCode();
  }

  /** Adds a list item outside a list. The item itself defines its list and level. */
  #addNumberedParagraph(element: XmlElement): void {
    const { attributes } = element;
    const style = attributes["text:style-name"] ?? "";
    const level = Math.max(0, integer(attributes["text:list-level"], 1) - 1);
    const listStyle = `${style} ${attributes["text:list-id"] ?? ""}`;
    const numbers = this.context.numbers.open({ style: listStyle, isStyleContinued: true });
    const marker = countItem(numbers, this.context.styles.listFormats(style), level, undefined);
    this.#item = { level: level + 1, marker };
    this.addNodes(element.children);
    this.#item = null;
  }

  #addTable(element: XmlElement): void {
    const style = element.attributes["table:style-name"];
    if (this.context.styles.hasPageBreak("table", style, "before") && this.list.blocks.length > 0)
      this.#advancePages(1);
    addTable(this, element);
    this.#advancePages(childElements(element, "text:soft-page-break").length);
  }

  #addNote(element: XmlElement) {
    if (element.name === "office:annotation") {
      const author = textContent(child(element, "dc:creator")).trim();
      const content = childElements(element).filter(({ name }) => !/^(?:dc|meta|loext):/.test(name));
      const text = this.multilineText(content);
      return this.add("note", author === "" || text === "" ? text : `${author}: ${text}`);
    }
    const text = this.multilineText(child(element, "text:note-body")?.children ?? []);
    if (text !== "") this.add("note", `[${noteLabel(element)}] ${text}`);
  }

  #addFrame(element: XmlElement) {
    const parts = childElements(element);
    const textParts = parts.filter(({ name }) => name === "draw:text-box" || name === "table:table");
    if (textParts.length > 0) {
      for (const part of textParts) {
        if (part.name === "table:table") this.addElement(part);
        else this.addNodes(part.children);
      }
      return;
    }
    if (parts.some(({ name }) => name === "draw:object") && this.context.addObject(this, element)) return;
    this.#addImage(element, UNREAD_IMAGE_WARNING);
  }

  /** Adds the text of a drawn shape, or else its description. */
  #addShape(element: XmlElement) {
    const blockCount = this.list.blocks.length;
    this.addNodes(element.children);
    if (this.list.blocks.length === blockCount) this.#addImage(element, null);
  }

  #addImage(element: XmlElement, warning: string | null) {
    const text = (name: string): string => textContent(child(element, name)).replace(/\s+/g, " ").trim();
    const description = text("svg:desc") || text("svg:title");
    const image = child(element, "draw:image");
    const readImage = image && this.context.readImage(image);
    if (this.context.addsImages && (description !== "" || readImage))
      this.add("image", description, imageDetails(readImage));
    else if (description === "" && warning !== null && !descendants(element, "draw:image").next().done)
      this.context.warnings.add(warning);
  }

  /** Returns a walk through the same document with separate blocks. */
  createInner(): TextWalk {
    return new TextWalk(new BlockList(), this.context);
  }

  /** Returns the text of nodes that become one block, such as a note, with a line for each of their blocks. */
  multilineText(nodes: readonly XmlNode[]): string {
    const lines: string[] = [];
    const inner = this.createInner();
    inner.addNodes(nodes);
    for (const block of inner.list.blocks) {
      if (block.text === "") this.context.warnings.add(UNREAD_IMAGE_WARNING);
      else lines.push(itemText(block));
    }
    return lines.join("\n");
  }

  /** Adds the collected lines of code as one block: in the file, each line is a paragraph. */
  #flushCode(): void {
    this.add("code", this.#code.join("\n").replace(/^\n+|\s+$/g, ""));
    this.#code = [];
  }

  #advancePages(count: number): void {
    if (this.context.page !== undefined) this.context.page += count;
  }
}

function startValue({ attributes }: XmlElement): number | undefined {
  const start = attributes["text:start-value"];
  return start === undefined ? undefined : integer(start, 1);
}
