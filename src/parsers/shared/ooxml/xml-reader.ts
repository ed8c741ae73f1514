import { decodeText } from "../charset/decode-text.js";
import { invalidFile } from "../errors/file-errors.js";
import { parseXml } from "../xml/parse-xml.js";
import { isElement, localName, type XmlElement, type XmlNode } from "../xml/xml-tree.js";

/** Reads a part, or a piece of it, as a tree. */
export type XmlReader = (part: string, xml: Uint8Array | string) => XmlElement;

/**
 * A reader of XML parts. A part with a document type is refused, so that no entity is ever expanded.
 *
 * @param fileName For messages.
 */
export function createXmlReader(fileName: string | null): XmlReader {
  return (part, xml) => {
    const text = typeof xml === "string" ? xml : decodeText(xml).text;
    if (text.includes("<!DOCTYPE"))
      throw invalidFile(fileName, `has a part "${part}" with a document type, which is not read.`);
    // An element that stands alone is no alternative to another one.
    return read([parseXml(fileName, text, `part "${part}"`)])[0] as XmlElement;
  };
}

/** The nodes under their local names, with one of each list of alternatives. */
function read(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node) => {
    if (!isElement(node)) return [node];
    const children = read(node.children);
    const name = localName(node.name);
    return name === "AlternateContent" ? alternative(children) : [{ ...node, name, children }];
  });
}

/** Of content that is there for newer and for older readers, the first that says anything. */
function alternative(choices: readonly XmlNode[]): readonly XmlNode[] {
  for (const name of ["Choice", "Fallback"]) {
    for (const choice of choices) {
      if (isElement(choice) && choice.name === name && choice.children.length > 0) return choice.children;
    }
  }
  return [];
}
