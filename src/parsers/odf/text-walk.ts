import type { Block, BlockKind, ReadImage } from "../../interfaces/block.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { imageDetails } from "../shared/html/image-options.js";
import { itemText } from "../shared/office/loose-blocks.js";
import { integer } from "../shared/xml/xml-attributes.js";
import {
  child,
  childElements,
  descendants,
  textContent,
  type XmlElement,
  type XmlNode,
} from "../shared/xml/xml-tree.js";
import { type InlineContext, inlineText, noteLabel } from "./inline-text.js";
import type { LevelFormat } from "./list-format.js";
import { countItem, type ListNumbers, type Numbers } from "./list-numbers.js";
import type { RepeatBudget } from "./table-grid.js";
import { addTable } from "./text-table.js";

/** Context shared by all walks through one document. */
export interface WalkContext extends InlineContext {
  readonly numbers: ListNumbers;
  /** The current page, from 1; `undefined` if the format has none. */
  page: number | undefined;
  readonly images: boolean;
  /** The image of a `draw:image`, if images are wanted and it exists. */
  imageBytes(image: XmlElement): ReadImage | undefined;
  readonly warnings: Set<string>;
  readonly repeatBudget: RepeatBudget;
  /** Adds the content of an embedded object; returns false if nothing in it can be read. */
  addObject(walk: TextWalk, frame: XmlElement): boolean;
}

type TextKind = Exclude<BlockKind, "heading" | "table">;

interface OpenList {
  readonly style: string;
  readonly formats: readonly LevelFormat[];
  readonly numbers: Numbers;
  readonly level: number;
}

/** A list item whose first paragraph gets its marker. */
interface OpenItem {
  readonly level: number;
  readonly marker: string | undefined;
}

const SKIPPED = new Set([
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

const UNREAD_IMAGE = "An image without a description was not read.";

/** Adds the content of a text, a cell, a frame or a note as blocks. */
export class TextWalk {
  readonly list: BlockList;
  readonly context: WalkContext;
  #item: OpenItem | null = null;
  #code: string[] = [];

  constructor(list: BlockList, context: WalkContext) {
    this.list = list;
    this.context = context;
  }

  nodes(nodes: readonly XmlNode[]): void {
    for (const node of nodes) if (typeof node !== "string") this.element(node);
    this.#endCode();
  }

  element(element: XmlElement): void {
    const { name, attributes, children } = element;
    if (SKIPPED.has(name)) return;
    if (name !== "text:p") this.#endCode();
    const isConditional = name === "text:section" || name === "text:hidden-paragraph";
    if (name === "text:p" || name === "text:h") this.#paragraph(element);
    else if (name === "text:list") this.#list(element, null);
    else if (name === "text:numbered-paragraph") this.#numberedParagraph(element);
    else if (name === "table:table") this.#table(element);
    else if (name === "text:soft-page-break") this.#advancePages(1);
    else if (name === "office:annotation" || name === "text:note") this.#note(element);
    else if (name === "draw:frame") this.#frame(element);
    else if (name.startsWith("draw:")) this.#shape(element);
    else if (!isConditional || attributes["text:display"] !== "none") this.nodes(children);
  }

  add(kind: TextKind, text: string, details: Partial<Pick<Block, "level" | "marker" | "picture">> = {}): void {
    this.list.add(kind, text, { ...details, ...this.pageDetail() });
  }

  /** Adds a block of another walk. */
  addBlock(block: Block): void {
    const { page: _, ...rest } = block;
    this.list.addBlock({ ...rest, ...this.pageDetail() });
  }

  pageDetail(): { page?: number } {
    return this.context.page === undefined ? {} : { page: this.context.page };
  }

  #paragraph(element: XmlElement): void {
    const { styles } = this.context;
    const style = element.attributes["text:style-name"];
    const { role, level } = styles.paragraph(style);
    if (styles.breaksPage("paragraph", style, "before") && this.list.blocks.length > 0) this.#advancePages(1);
    const isHeading = element.name === "text:h" || role === "heading";
    const isCode = role === "code" && !isHeading;
    const inline = inlineText(element.children, this.context, isCode);
    const item = this.#item;
    if (inline.text !== "") this.#item = null;
    if (!isCode) this.#endCode();
    if (isHeading) this.#heading(element, inline.text, level, item);
    else if (isCode && item === null) this.#code.push(inline.text);
    else if (item !== null && inline.text !== "") {
      const { level, marker } = item;
      this.add("list_item", inline.text, { level, ...(marker !== undefined && { marker }) });
    } else this.add(role === "caption" ? "caption" : "paragraph", inline.text);
    for (const float of inline.floats) this.element(float);
    const after = styles.breaksPage("paragraph", style, "after") ? 1 : 0;
    this.#advancePages(inline.pageBreaks + after);
  }

  #heading(element: XmlElement, text: string, styleLevel: number, item: OpenItem | null): void {
    const { attributes } = element;
    const level = integer(attributes["text:outline-level"], styleLevel || 1);
    const isNumbered =
      element.name === "text:h" &&
      text !== "" &&
      attributes["text:is-list-header"] !== "true" &&
      this.context.styles.listOfParagraph(attributes["text:style-name"]) !== "";
    const { numbers, styles } = this.context;
    const nextNumber = () => (isNumbered ? numbers.heading(styles.outline, level - 1, startValue(element)) : undefined);
    const number = item === null ? nextNumber() : item.marker;
    this.list.heading(level, number === undefined ? text : `${number} ${text}`, this.pageDetail());
  }

  #list(element: XmlElement, outer: OpenList | null): void {
    const { attributes } = element;
    const style = attributes["text:style-name"] ?? outer?.style ?? "";
    const level = outer === null ? 0 : outer.level + 1;
    const numbers =
      outer?.numbers ??
      this.context.numbers.open({
        id: attributes["xml:id"] ?? attributes["text:id"],
        style,
        continues: attributes["text:continue-list"],
        continuesStyle: attributes["text:continue-numbering"] === "true",
      });
    if (outer !== null && style !== outer.style) numbers.length = Math.min(numbers.length, level);
    const list = { style, formats: this.context.styles.list(style), numbers, level };
    for (const item of childElements(element)) {
      if (item.name === "text:list-item") this.#listItem(item, list);
      else if (item.name === "text:list-header") this.#itemContent(item, list);
      else this.element(item);
    }
  }

  #listItem(element: XmlElement, list: OpenList): void {
    // A continued nested list is wrapped in an item that only contains it and has no number.
    const hasText = childElements(element).some(({ name }) => name !== "text:list" && name !== "text:soft-page-break");
    if (hasText) {
      const marker = countItem(list.numbers, list.formats, list.level, startValue(element));
      this.#item = { level: list.level + 1, marker };
    }
    this.#itemContent(element, list);
    this.#item = null;
  }

  #itemContent(element: XmlElement, list: OpenList): void {
    for (const inner of childElements(element)) {
      if (inner.name === "text:list") this.#list(inner, list);
      else this.element(inner);
    }
    this.#endCode();
  }

  /** Adds a list item outside of a list, which specifies its list and level itself. */
  #numberedParagraph(element: XmlElement): void {
    const { attributes } = element;
    const style = attributes["text:style-name"] ?? "";
    const level = Math.max(0, integer(attributes["text:list-level"], 1) - 1);
    const listStyle = `${style} ${attributes["text:list-id"] ?? ""}`;
    const numbers = this.context.numbers.open({ style: listStyle, continuesStyle: true });
    const marker = countItem(numbers, this.context.styles.list(style), level, undefined);
    this.#item = { level: level + 1, marker };
    this.nodes(element.children);
    this.#item = null;
  }

  #table(element: XmlElement): void {
    const style = element.attributes["table:style-name"];
    if (this.context.styles.breaksPage("table", style, "before") && this.list.blocks.length > 0) this.#advancePages(1);
    addTable(this, element);
    this.#advancePages(childElements(element, "text:soft-page-break").length);
  }

  #note(element: XmlElement) {
    if (element.name === "office:annotation") {
      const author = textContent(child(element, "dc:creator")).trim();
      const content = childElements(element).filter(({ name }) => !/^(?:dc|meta|loext):/.test(name));
      const text = this.linesOf(content);
      return this.add("note", author === "" || text === "" ? text : `${author}: ${text}`);
    }
    const text = this.linesOf(child(element, "text:note-body")?.children ?? []);
    if (text !== "") this.add("note", `[${noteLabel(element)}] ${text}`);
  }

  #frame(element: XmlElement) {
    const parts = childElements(element);
    const text = parts.filter(({ name }) => name === "draw:text-box" || name === "table:table");
    if (text.length > 0) {
      for (const part of text) {
        if (part.name === "table:table") this.element(part);
        else this.nodes(part.children);
      }
      return;
    }
    if (parts.some(({ name }) => name === "draw:object") && this.context.addObject(this, element)) return;
    this.#image(element, UNREAD_IMAGE);
  }

  /** A drawn shape: its text, or its description. */
  #shape(element: XmlElement) {
    const before = this.list.blocks.length;
    this.nodes(element.children);
    if (this.list.blocks.length === before) this.#image(element, null);
  }

  #image(element: XmlElement, warning: string | null) {
    const text = (name: string): string => textContent(child(element, name)).replace(/\s+/g, " ").trim();
    const description = text("svg:desc") || text("svg:title");
    const image = child(element, "draw:image");
    const picture = image && this.context.imageBytes(image);
    if (this.context.images && (description !== "" || picture)) this.add("image", description, imageDetails(picture));
    else if (description === "" && warning !== null && !descendants(element, "draw:image").next().done)
      this.context.warnings.add(warning);
  }

  /** A walk through the same document with separate blocks. */
  inner(): TextWalk {
    return new TextWalk(new BlockList(), this.context);
  }

  /** The text of content that becomes one block, such as a note. */
  linesOf(nodes: readonly XmlNode[]): string {
    const lines: string[] = [];
    const inner = this.inner();
    inner.nodes(nodes);
    for (const block of inner.list.blocks) {
      if (block.text === "") this.context.warnings.add(UNREAD_IMAGE);
      else lines.push(itemText(block));
    }
    return lines.join("\n");
  }

  /** Adds the collected lines of code: in the file, each is a paragraph. */
  #endCode(): void {
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
