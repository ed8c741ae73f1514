import { webLink } from "../html/web-link.js";
import { child, childElements, isElement, prefixedAttribute, textContent, type XmlElement } from "../xml/xml-tree.js";
import { formulaText } from "./formula-text.js";
import type { Relationship } from "./office-package.js";

/** A paragraph of DrawingML text. */
export interface DrawingParagraph {
  /** Markdown with line breaks. */
  readonly text: string;
  /** Indent level, from 0. */
  readonly level: number;
  readonly properties: XmlElement | undefined;
}

interface Run {
  text: string;
  readonly href: string | null;
}

/** Reads the paragraphs of a text body, including empty ones. */
export function drawingParagraphs(
  body: XmlElement | undefined,
  relationships: readonly Relationship[],
): readonly DrawingParagraph[] {
  return childElements(body, "p").map((paragraph) => {
    const properties = child(paragraph, "pPr");
    const level = Number.parseInt(properties?.attributes.lvl ?? "0", 10);
    return { text: paragraphText(paragraph, relationships), level: level >= 0 && level <= 8 ? level : 0, properties };
  });
}

/** Returns the text of a text body, with one line for each paragraph that isn't empty. */
export function drawingText(body: XmlElement | undefined, relationships: readonly Relationship[]): string {
  return drawingParagraphs(body, relationships)
    .map((paragraph) => paragraph.text)
    .filter((text) => text !== "")
    .join("\n");
}

function paragraphText(paragraph: XmlElement, relationships: readonly Relationship[]): string {
  const runs: Run[] = [];
  for (const node of paragraph.children) {
    if (!isElement(node)) continue;
    const text = runText(node);
    if (text === "") continue;
    const href = hrefOf(node, relationships);
    const last = runs.at(-1);
    // A link is often split into several runs, since each spelling mark or format begins a new run.
    if (last !== undefined && last.href === href) last.text += text;
    else runs.push({ text, href });
  }
  const text = runs.map((run) => webLink(run.text, run.href)).join("");
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function runText(node: XmlElement): string {
  switch (node.name) {
    case "r":
    case "fld":
      // A vertical tab is a line break within a title.
      return textContent(child(node, "t")).replace(/_x000[BD]_|\v/g, "\n");
    case "br":
      return "\n";
    case "m":
    case "oMath":
    case "oMathPara":
      return formulaText(node);
    default:
      return "";
  }
}

function hrefOf(run: XmlElement, relationships: readonly Relationship[]): string | null {
  const id = prefixedAttribute(child(run, "rPr", "hlinkClick"), "id");
  const link = id === undefined ? undefined : relationships.find((candidate) => candidate.id === id);
  return link?.isExternal === true ? link.target : null;
}
