import { KnowledgeBaseError } from "../../errors.js";
import { decodeText } from "../decode-text.js";
import { invalidFile } from "../file-errors.js";
import { xmlText } from "../xml-text.js";
import type { XmlElement, XmlNode } from "./xml-tree.js";

const MAX_DEPTH = 5_000;
const ATTRIBUTES = ":@";
const TEXT = "#text";
const CDATA = "#cdata";

type Ordered = { readonly [key: string]: unknown };

/** Reads a part, or a piece of it, as a tree. */
export type XmlReader = (part: string, xml: Uint8Array | string) => XmlElement;

/**
 * A reader of XML parts. A part with a document type is refused, so that no entity is ever expanded.
 *
 * @param fileName For messages.
 */
export async function createXmlReader(fileName: string | null): Promise<XmlReader> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    cdataPropName: CDATA,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: MAX_DEPTH,
    // Spares it writing down the path of each element.
    jPath: false,
  });
  return (part, xml) => {
    const text = typeof xml === "string" ? xml : decodeText(xml).text;
    if (text.includes("<!DOCTYPE"))
      throw invalidFile(fileName, `has a part "${part}" with a document type, which is not read.`);
    try {
      const root = convert(parser.parse(text) as readonly Ordered[]).find((node) => typeof node !== "string");
      if (root !== undefined) return root;
    } catch (error) {
      if (KnowledgeBaseError.is(error)) throw error;
      throw invalidFile(fileName, `is damaged: its part "${part}" is not well-formed.`, error);
    }
    throw invalidFile(fileName, `is damaged: its part "${part}" is not XML.`);
  };
}

function convert(nodes: readonly Ordered[]): XmlNode[] {
  const converted: XmlNode[] = [];
  for (const node of nodes) {
    if (TEXT in node) {
      converted.push(xmlText(String(node[TEXT])));
      continue;
    }
    const tag = Object.keys(node).find((key) => key !== ATTRIBUTES);
    if (tag === undefined) continue;
    const inner = node[tag] as readonly Ordered[];
    if (tag === CDATA) {
      converted.push(String(inner[0]?.[TEXT] ?? ""));
      continue;
    }
    const name = tag.slice(tag.indexOf(":") + 1);
    if (name === "AlternateContent") converted.push(...alternative(convert(inner)));
    else converted.push({ name, attributes: attributesOf(node[ATTRIBUTES]), children: convert(inner) });
  }
  return converted;
}

function attributesOf(raw: unknown): Record<string, string> {
  const attributes = (raw ?? {}) as Record<string, string>;
  for (const [name, value] of Object.entries(attributes)) if (value.includes("&")) attributes[name] = xmlText(value);
  return attributes;
}

/** Of content that is there for newer and for older readers, the first that says anything. */
function alternative(choices: readonly XmlNode[]): readonly XmlNode[] {
  for (const name of ["Choice", "Fallback"]) {
    for (const choice of choices) {
      if (typeof choice !== "string" && choice.name === name && choice.children.length > 0) return choice.children;
    }
  }
  return [];
}
