import { PARSE_LIMITS } from "../../limits.js";
import { invalidFile } from "../errors/file-errors.js";
import { xmlText } from "./xml-text.js";

/** An element of an XML document; names keep their prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}
/**
 * An XML document's root. Scans without recursion, and knows no entities but the five of XML and numbers.
 *
 * @param part Names the document in messages, as in `content.xml`.
 * @throws `invalid_input` for text that is no XML or breaks off, for elements deeper than 5,000, and for a DOCTYPE with
 * declarations of its own; one that only names its definition is passed over.
 */
export function parseXml(fileName: string | null, xml: string, part = "XML"): XmlElement {
  const damaged = (problem: string) => invalidFile(fileName, `is damaged: its ${part} ${problem}.`);
  const document: OpenElement = { name: "", attributes: NO_ATTRIBUTES, children: [] };
  const open = [document];
  let at = 0;
  while (at < xml.length) {
    const start = xml.indexOf("<", at);
    const textEnd = start === -1 ? xml.length : start;
    if (textEnd > at && open.length > 1) open.at(-1)!.children.push(xmlText(xml.slice(at, textEnd)));
    if (start === -1) break;
    const markup = markupAt(xml, start);
    if (markup === null) throw damaged("breaks off within a tag");
    at = markup.end;
    if (markup.kind === "doctype" && markup.text.includes("["))
      throw invalidFile(fileName, "declares entities in its DOCTYPE, which are not read.");
    if (markup.kind === "cdata") open.at(-1)!.children.push(markup.text);
    else if (markup.kind === "end") {
      const name = markup.text.trim();
      if (open.length === 1 || open.at(-1)!.name !== name) throw damaged(`has </${name}> where that is not open`);
      open.pop();
    } else if (markup.kind === "start") {
      const isEmpty = markup.text.endsWith("/");
      const element = elementOf(isEmpty ? markup.text.slice(0, -1) : markup.text);
      if (element === null) throw damaged("has a tag without a name");
      open.at(-1)!.children.push(element);
      if (!isEmpty) open.push(element);
      if (open.length > PARSE_LIMITS.maxXmlDepth)
        throw damaged(`is nested deeper than ${PARSE_LIMITS.maxXmlDepth} elements`);
    }
  }
  if (open.length > 1) throw damaged(`breaks off within <${open.at(-1)!.name}>`);
  const root = document.children.find((node) => typeof node !== "string");
  if (root === undefined) throw damaged("has no elements");
  return root as XmlElement;
}

/** The first element of a name directly within another. */
export function child(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((node): node is XmlElement => typeof node !== "string" && node.name === name);
}

/** The elements directly within another, of one name or of all. */
export function childrenOf(parent: XmlElement | undefined, name?: string): XmlElement[] {
  if (parent === undefined) return [];
  return parent.children.filter(
    (node): node is XmlElement => typeof node !== "string" && (name === undefined || node.name === name),
  );
}

/** Every element within another, in document order. */
export function* elementsWithin(root: XmlElement): Generator<XmlElement> {
  const pending = childrenOf(root).reverse();
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    yield element;
    for (const inner of childrenOf(element).reverse()) pending.push(inner);
  }
}

/** All text within an element, as it stands. */
export function textWithin(root: XmlElement | undefined): string {
  if (root === undefined) return "";
  const parts: string[] = [];
  const pending: XmlNode[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node === "string") parts.push(node);
    else for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!);
  }
  return parts.join("");
}

interface Markup {
  readonly kind: "start" | "end" | "cdata" | "doctype" | "other";
  readonly text: string;
  readonly end: number;
}

/** The markup that begins with the `<` at an offset; null where its end is missing. */
function markupAt(xml: string, start: number): Markup | null {
  const between = (kind: Markup["kind"], opening: number, closing: string): Markup | null => {
    const end = xml.indexOf(closing, start + opening);
    return end === -1 ? null : { kind, text: xml.slice(start + opening, end), end: end + closing.length };
  };
  switch (xml.charCodeAt(start + 1)) {
    case 0x2f:
      return between("end", 2, ">");
    case 0x3f:
      return between("other", 2, "?>");
    case 0x21:
      if (xml.startsWith("<!--", start)) return between("other", 4, "-->");
      if (xml.startsWith("<![CDATA[", start)) return between("cdata", 9, "]]>");
      return between("doctype", 2, ">");
    default: {
      const end = tagEnd(xml, start + 1);
      return end === -1 ? null : { kind: "start", text: xml.slice(start + 1, end), end: end + 1 };
    }
  }
}

/** The `>` that ends a tag; one within quotes is part of an attribute. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x22 || code === 0x27) {
      at = xml.indexOf(code === 0x22 ? '"' : "'", at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = {};

function elementOf(tag: string): OpenElement | null {
  const name = /^[^\s/]+/.exec(tag)?.[0];
  if (name === undefined) return null;
  return {
    name,
    attributes: name.length === tag.length ? NO_ATTRIBUTES : attributesOf(tag, name.length),
    children: [],
  };
}

/** Of either kind; looked for together, as a kind that there is not would be looked for to the end of the tag each time. */
function quoteAfter(tag: string, from: number): number {
  for (let at = from; at < tag.length; at++) {
    const code = tag.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
  }
  return -1;
}

function attributesOf(tag: string, from: number): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  let at = from;
  for (;;) {
    const equals = tag.indexOf("=", at);
    if (equals === -1) return attributes;
    const start = quoteAfter(tag, equals);
    const end = start === -1 ? -1 : tag.indexOf(tag[start]!, start + 1);
    if (end === -1) return attributes;
    attributes[tag.slice(at, equals).trim()] = xmlText(tag.slice(start + 1, end));
    at = end + 1;
  }
}
