import { webLink } from "../shared/html/web-link.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { child, textContent, type XmlElement, type XmlNode } from "../shared/xml/xml-tree.js";
import type { OdfStyles } from "./styles.js";

/** The text of a paragraph as Markdown, and the objects anchored in it. */
export interface InlineText {
  readonly text: string;
  /** The notes, comments, frames and shapes anchored in the paragraph, in order. */
  readonly anchoredElements: readonly XmlElement[];
  /** The number of page breaks stored within the paragraph. */
  readonly pageBreakCount: number;
}

export interface InlineContext {
  readonly styles: OdfStyles;
  /** Returns the formula in a frame as text, or `null` if the frame has none. */
  formula(frame: XmlElement): string | null;
}

/** Elements whose content is not part of the text. */
const SKIPPED_ELEMENTS = new Set([
  "text:tracked-changes",
  "text:hidden-text",
  "text:note-citation",
  "text:script",
  "text:toc-mark",
  "text:ruby-text",
  "office:annotation-end",
  "office:forms",
  "office:event-listeners",
  "svg:title",
  "svg:desc",
]);

const MAX_SPACES = 100;

/**
 * Converts the content of a paragraph to Markdown.
 *
 * @param keepsSpaces Whether to keep consecutive spaces, for code.
 */
export function readInlineText(nodes: readonly XmlNode[], context: InlineContext, keepsSpaces = false): InlineText {
  const reader = new InlineReader(context);
  reader.addNodes(nodes);
  const text = keepsSpaces ? reader.text.trimEnd() : reader.text.replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n");
  return {
    text: keepsSpaces ? text : text.trim(),
    anchoredElements: reader.anchoredElements,
    pageBreakCount: reader.pageBreakCount,
  };
}

class InlineReader {
  text = "";
  pageBreakCount = 0;
  readonly anchoredElements: XmlElement[] = [];
  readonly #context: InlineContext;

  constructor(context: InlineContext) {
    this.#context = context;
  }

  addNodes(nodes: readonly XmlNode[]): void {
    for (const node of nodes) {
      if (typeof node === "string") this.text += node.replace(/[ \t\r\n]+/g, " ");
      else this.#addElement(node);
    }
  }

  #addElement(element: XmlElement): void {
    const { name, attributes, children } = element;
    if (SKIPPED_ELEMENTS.has(name)) return;
    if (name === "text:s") this.text += " ".repeat(Math.min(MAX_SPACES, Math.max(1, integer(attributes["text:c"], 1))));
    else if (name === "text:tab") this.text += "\t";
    else if (name === "text:line-break") this.text += "\n";
    else if (name === "text:soft-page-break") this.pageBreakCount++;
    else if (name === "text:a") this.#addLink(element);
    else if (name === "text:ruby") this.#addRuby(element);
    else if (name === "text:note" || name === "office:annotation") {
      if (name === "text:note") this.text += `[${noteLabel(element)}]`;
      this.anchoredElements.push(element);
    } else if (name.startsWith("draw:")) this.#addDrawing(element);
    else if (!this.#isHidden(element)) this.addNodes(children);
  }

  #isHidden({ name, attributes }: XmlElement): boolean {
    if (name === "text:span") return this.#context.styles.hidesText(attributes["text:style-name"]);
    return /^text:(?:conditional-text|hidden-paragraph)$/.test(name) && attributes["text:is-hidden"] === "true";
  }

  #addLink(element: XmlElement) {
    const textBefore = this.text;
    this.text = "";
    this.addNodes(element.children);
    this.text = textBefore + webLink(this.text, element.attributes["xlink:href"]);
  }

  #addRuby(element: XmlElement) {
    this.addNodes(child(element, "text:ruby-base")?.children ?? []);
    const reading = textContent(child(element, "text:ruby-text")).trim();
    if (reading !== "") this.text += `(${reading})`;
  }

  #addDrawing(element: XmlElement) {
    if (element.name === "draw:a") return this.addNodes(element.children);
    const formula = element.name === "draw:frame" ? this.#context.formula(element) : null;
    if (formula === null) this.anchoredElements.push(element);
    else this.text += formula;
  }
}

/** Returns the label of a note: its number, or characters that its author chose. */
export function noteLabel(note: XmlElement): string {
  const citation = child(note, "text:note-citation");
  return citation?.attributes["text:label"] ?? (textContent(citation).trim() || "*");
}
