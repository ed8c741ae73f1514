import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { childElements, localName, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** The maximum length of a text that is prefixed with its element's name. */
const MAX_LABELLED_CHARS = 200;
const TITLE_ELEMENT_PATTERN = /^(?:title|head|heading|caption)$/i;
/** Matches the names of elements that contain prose in common vocabularies. */
const PROSE_ELEMENT_PATTERN =
  /^(?:p|para|simpara|paragraph|text|body|abstract|li|listitem|item|note|quote|blockquote|line|l)$/i;

/**
 * Adds XML of an unknown vocabulary. An element with text becomes a line `name: text`, or a paragraph if it is prose or
 * long. Adjacent lines form one paragraph. A title at the start of an element becomes a heading. Attributes of an
 * element with child elements become lines, those of one with text follow the text in parentheses.
 */
export function xmlToBlocks(list: BlockList, root: XmlElement): void {
  const pending: Step[] = [{ element: root, level: 1 }];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if ("text" in step) list.add("paragraph", step.text);
    else for (const inner of stepsOf(list, step).reverse()) pending.push(inner);
  }
}

/** An element to expand, or the text of a paragraph to add. */
type Step = { readonly element: XmlElement; readonly level: number } | { readonly text: string };

function stepsOf(list: BlockList, { element, level }: { element: XmlElement; level: number }): Step[] {
  if (isText(element)) return [{ text: lineOf(element) }];
  const inner = childElements(element);
  const hasTitle = inner[0] !== undefined && TITLE_ELEMENT_PATTERN.test(localName(inner[0].name)) && isText(inner[0]);
  if (hasTitle) list.heading(level, collapseWhitespace(textContent(inner[0])));
  const steps: Step[] = [];
  let lines = attributeLines(element);
  const flush = (): void => {
    if (lines.length > 0) steps.push({ text: lines.join("\n") });
    lines = [];
  };
  for (const child of hasTitle ? inner.slice(1) : inner) {
    if (!isText(child)) {
      flush();
      steps.push({ element: child, level: hasTitle ? level + 1 : level });
    } else if (isParagraph(child)) {
      flush();
      steps.push({ text: lineOf(child) });
    } else lines.push(lineOf(child));
  }
  flush();
  return steps;
}

/** Returns whether an element becomes one line or paragraph: it directly contains text, or has no child elements. */
function isText(element: XmlElement): boolean {
  const texts = element.children.filter((node) => typeof node === "string");
  return texts.length === element.children.length || texts.some((text) => text.trim() !== "");
}

function isParagraph(element: XmlElement): boolean {
  if (PROSE_ELEMENT_PATTERN.test(localName(element.name)) && textContent(element).length > 40) return true;
  return textContent(element).length > MAX_LABELLED_CHARS;
}

function lineOf(element: XmlElement): string {
  const text = collapseWhitespace(textContent(element));
  const attributes = attributeLines(element);
  if (isParagraph(element)) return text;
  if (text === "") return attributes.length === 0 ? "" : `${localName(element.name)}: ${attributes.join(", ")}`;
  return `${localName(element.name)}: ${text}${attributes.length === 0 ? "" : ` (${attributes.join(", ")})`}`;
}

function attributeLines(element: XmlElement): string[] {
  return Object.entries(element.attributes)
    .filter(([name, value]) => value.trim() !== "" && !/^(?:xmlns(?::|$)|xsi:|xml:space$)/.test(name))
    .map(([name, value]) => `${name}: ${collapseWhitespace(value)}`);
}
