import type { Block, BlockKind, ReadPicture } from "../../interfaces/block.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { withPicture } from "../shared/html/find-picture.js";
import {
  child,
  childElements,
  descendants,
  textContent,
  type XmlElement,
  type XmlNode,
} from "../shared/xml/xml-tree.js";
import { type InlineContext, inlineText, noteLabel } from "./inline-text.js";
import { integer, type LevelFormat } from "./list-format.js";
import { countItem, type ListNumbers, type Numbers } from "./list-numbers.js";
import type { TableRoom } from "./table-grid.js";
import { addTable } from "./text-table.js";

/** Context shared by all walks through one document. */
export interface WalkContext extends InlineContext {
  readonly numbers: ListNumbers;
  /** The current page, from 1; `undefined` if the format has none. */
  page: number | undefined;
  readonly images: boolean;
  /** The image of a `draw:image`, if images are wanted and it exists. */
  picture(image: XmlElement): ReadPicture | undefined;
  readonly warnings: Set<string>;
  readonly tableRoom: TableRoom;
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

const UNREAD_PICTURE = "An image without a description was not read.";

/** Adds the content of a text, a cell, a frame or a note as blocks. */
export class TextWalk {
  readonly list: BlockList;
  readonly context: WalkContext;
  #item: OpenItem | null = null;
  #code: string[] | null = null;

  constructor(list: BlockList, context: WalkContext) {
    this.list = list;
    this.context = context;
  }

  nodes(nodes: readonly XmlNode[]): void {
    for (const node of nodes) if (typeof node !== "string") this.element(node);
    this.#endCode();
  }

  element(element: XmlElement) {
    const { name, attributes, children } = element;
    if (SKIPPED.has(name)) return;
    if (name !== "text:p") this.#endCode();
    switch (name) {
      case "text:p":
      case "text:h":
        return this.#paragraph(element);
      case "text:list":
        return this.#list(element, null);
      case "text:numbered-paragraph":
        return this.#numberedParagraph(element);
      case "table:table":
        return this.#table(element);
      case "text:soft-page-break":
        return this.#turnPages(1);
      case "text:section":
      case "text:hidden-paragraph":
        if (attributes["text:display"] !== "none") this.nodes(children);
        return;
      case "office:annotation":
      case "text:note":
        return this.#note(element);
      case "draw:frame":
        return this.#frame(element);
      default:
        if (name.startsWith("draw:")) this.#shape(element);
        else this.nodes(children);
    }
  }

  add(kind: TextKind, text: string, details: Partial<Pick<Block, "level" | "marker" | "picture">> = {}): void {
    this.list.add(kind, text, { ...details, ...this.pageDetail() });
  }

  /** Adds a block of another walk. */
  addBlock(block: Block): void {
    if (block.kind === "heading") this.list.heading(block.level ?? 1, block.text, this.pageDetail());
    else if (block.kind === "table")
      this.list.table(block.table?.header ?? [], block.table?.rows ?? [], this.pageDetail());
    else {
      const { level, marker, picture } = block;
      this.add(block.kind, block.text, {
        ...(level === undefined ? {} : { level }),
        ...(marker === undefined ? {} : { marker }),
        ...withPicture(picture),
      });
    }
  }

  pageDetail(): { page?: number } {
    return this.context.page === undefined ? {} : { page: this.context.page };
  }

  #paragraph(element: XmlElement): void {
    const { styles } = this.context;
    const style = element.attributes["text:style-name"];
    const { role, level } = styles.paragraph(style);
    if (styles.breaksPage("paragraph", style, "before") && this.list.blocks.length > 0) this.#turnPages(1);
    const isHeading = element.name === "text:h" || role === "heading";
    const isCode = role === "code" && !isHeading;
    const inline = inlineText(element.children, this.context, isCode);
    const item = this.#item;
    if (inline.text !== "") this.#item = null;
    if (!isCode) this.#endCode();
    if (isHeading) this.#heading(element, inline.text, level, item);
    else if (isCode && item === null) this.#addCode(inline.text);
    else if (item !== null && inline.text !== "") {
      this.add("list_item", inline.text, {
        level: item.level,
        ...(item.marker === undefined ? {} : { marker: item.marker }),
      });
    } else this.add(role === "caption" ? "caption" : "paragraph", inline.text);
    for (const float of inline.floats) this.element(float);
    const after = styles.breaksPage("paragraph", style, "after") ? 1 : 0;
    this.#turnPages(inline.pageBreaks + after);
  }

  #heading(element: XmlElement, text: string, styleLevel: number, item: OpenItem | null): void {
    const { attributes } = element;
    const level = integer(attributes["text:outline-level"], styleLevel || 1);
    const isNumbered =
      element.name === "text:h" &&
      text !== "" &&
      attributes["text:is-list-header"] !== "true" &&
      this.context.styles.listOfParagraph(attributes["text:style-name"]) !== "";
    const start = attributes["text:start-value"];
    const number =
      item !== null
        ? item.marker
        : isNumbered
          ? this.context.numbers.heading(
              this.context.styles.outline,
              level - 1,
              start === undefined ? undefined : integer(start, 1),
            )
          : undefined;
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
        goesOn: attributes["text:continue-numbering"] === "true",
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
      const start = element.attributes["text:start-value"];
      const marker = countItem(
        list.numbers,
        list.formats,
        list.level,
        start === undefined ? undefined : integer(start, 1),
      );
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

  /** A list item outside of a list, which names its list and level itself. */
  #numberedParagraph(element: XmlElement): void {
    const { attributes } = element;
    const style = attributes["text:style-name"] ?? "";
    const level = Math.max(0, integer(attributes["text:list-level"], 1) - 1);
    const numbers = this.context.numbers.open({ style: `${style} ${attributes["text:list-id"] ?? ""}`, goesOn: true });
    const marker = countItem(numbers, this.context.styles.list(style), level, undefined);
    this.#item = { level: level + 1, marker };
    this.nodes(element.children);
    this.#item = null;
  }

  #table(element: XmlElement): void {
    const style = element.attributes["table:style-name"];
    if (this.context.styles.breaksPage("table", style, "before") && this.list.blocks.length > 0) this.#turnPages(1);
    addTable(this, element);
    const breaks = childElements(element, "text:soft-page-break").length;
    this.#turnPages(breaks);
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
    this.#picture(element, UNREAD_PICTURE);
  }

  /** A drawn shape: its text, or its description. */
  #shape(element: XmlElement) {
    const before = this.list.blocks.length;
    this.nodes(element.children);
    if (this.list.blocks.length === before) this.#picture(element, null);
  }

  #picture(element: XmlElement, warning: string | null) {
    const text = (name: string): string => textContent(child(element, name)).replace(/\s+/g, " ").trim();
    const described = text("svg:desc") || text("svg:title");
    const image = child(element, "draw:image");
    const picture = image && this.context.picture(image);
    if (this.context.images && (described !== "" || picture)) this.add("image", described, withPicture(picture));
    else if (described === "" && warning !== null && hasImage(element)) this.context.warnings.add(warning);
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
    for (const { text, marker } of inner.list.blocks) {
      if (text === "") this.context.warnings.add(UNREAD_PICTURE);
      else lines.push(marker === undefined ? text : `${marker} ${text}`);
    }
    return lines.join("\n");
  }

  #addCode(line: string): void {
    this.#code ??= [];
    this.#code.push(line);
  }

  /** Each line of code is a paragraph of its own in the file. */
  #endCode(): void {
    if (this.#code === null) return;
    this.add("code", this.#code.join("\n").replace(/^\n+|\s+$/g, ""));
    this.#code = null;
  }

  #turnPages(count: number): void {
    if (this.context.page !== undefined) this.context.page += count;
  }
}

function hasImage(element: XmlElement): boolean {
  for (const { name } of descendants(element)) if (name === "draw:image") return true;
  return false;
}
