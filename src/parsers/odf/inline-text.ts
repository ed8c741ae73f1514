import { webLink } from "../shared/html/web-link.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { child, textContent, type XmlElement, type XmlNode } from "../shared/xml/xml-tree.js";
import type { OdfStyles } from "./styles.js";

/** A paragraph's line of text and the objects anchored in it. */
export interface InlineText {
  readonly text: string;
  /** Notes, comments, frames and shapes, in order. */
  readonly floats: readonly XmlElement[];
  /** Number of page breaks recorded within the paragraph. */
  readonly pageBreaks: number;
}

export interface InlineContext {
  readonly styles: OdfStyles;
  /** The text of a frame's formula; `null` for any other frame. */
  formula(frame: XmlElement): string | null;
}

/** Elements whose content is not part of the text. */
const SKIPPED = new Set([
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

/** Text of a paragraph as one line of Markdown; `keepSpaces` for code. */
export function inlineText(nodes: readonly XmlNode[], context: InlineContext, keepSpaces = false): InlineText {
  const run = new Run(context);
  run.nodes(nodes);
  const text = keepSpaces ? run.text.trimEnd() : run.text.replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n");
  return { text: keepSpaces ? text : text.trim(), floats: run.floats, pageBreaks: run.pageBreaks };
}

class Run {
  text = "";
  pageBreaks = 0;
  readonly floats: XmlElement[] = [];
  readonly #context: InlineContext;

  constructor(context: InlineContext) {
    this.#context = context;
  }

  nodes(nodes: readonly XmlNode[]): void {
    for (const node of nodes) {
      if (typeof node === "string") this.text += node.replace(/[ \t\r\n]+/g, " ");
      else this.#element(node);
    }
  }

  #element(element: XmlElement): void {
    const { name, attributes, children } = element;
    if (SKIPPED.has(name)) return;
    if (name === "text:s") this.text += " ".repeat(Math.min(MAX_SPACES, Math.max(1, integer(attributes["text:c"], 1))));
    else if (name === "text:tab") this.text += "\t";
    else if (name === "text:line-break") this.text += "\n";
    else if (name === "text:soft-page-break") this.pageBreaks++;
    else if (name === "text:a") this.#link(element);
    else if (name === "text:ruby") this.#ruby(element);
    else if (name === "text:note" || name === "office:annotation") {
      if (name === "text:note") this.text += `[${noteLabel(element)}]`;
      this.floats.push(element);
    } else if (name.startsWith("draw:")) this.#drawing(element);
    else if (!this.#isHidden(element)) this.nodes(children);
  }

  #isHidden({ name, attributes }: XmlElement): boolean {
    if (name === "text:span") return this.#context.styles.hidesText(attributes["text:style-name"]);
    return /^text:(?:conditional-text|hidden-paragraph)$/.test(name) && attributes["text:is-hidden"] === "true";
  }

  #link(element: XmlElement) {
    const textBefore = this.text;
    this.text = "";
    this.nodes(element.children);
    this.text = textBefore + webLink(this.text, element.attributes["xlink:href"]);
  }

  #ruby(element: XmlElement) {
    this.nodes(child(element, "text:ruby-base")?.children ?? []);
    const reading = textContent(child(element, "text:ruby-text")).trim();
    if (reading !== "") this.text += `(${reading})`;
  }

  #drawing(element: XmlElement) {
    if (element.name === "draw:a") return this.nodes(element.children);
    const formula = element.name === "draw:frame" ? this.#context.formula(element) : null;
    if (formula === null) this.floats.push(element);
    else this.text += formula;
  }
}

/** The label of a note: its number, or the mark that its author chose. */
export function noteLabel(note: XmlElement): string {
  const citation = child(note, "text:note-citation");
  return citation?.attributes["text:label"] ?? (textContent(citation).trim() || "*");
}
