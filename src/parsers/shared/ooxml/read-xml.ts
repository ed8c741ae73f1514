import { decodeText } from "../charset/decode-text.js";
import { invalidFile } from "../errors/file-errors.js";
import { parseXml } from "../xml/parse-xml.js";
import { isElement, localName, type XmlElement, type XmlNode } from "../xml/xml-tree.js";

/**
 * Parses a part, or an element of it. A part with a document type is rejected, so that no entity is ever expanded.
 *
 * @param fileName For messages.
 */
export function readXml(fileName: string | null, part: string, xml: Uint8Array | string): XmlElement {
  const text = typeof xml === "string" ? xml : decodeText(xml).text;
  if (text.includes("<!DOCTYPE"))
    throw invalidFile(fileName, `has a part "${part}" with a document type, which is not read.`);
  // The root is no list of alternatives, so it stays an element.
  return withLocalNames([parseXml(fileName, text, `part "${part}"`)])[0] as XmlElement;
}

/** The nodes under their local names, with one of each list of alternatives. */
function withLocalNames(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node) => {
    if (!isElement(node)) return [node];
    const children = withLocalNames(node.children);
    const name = localName(node.name);
    return name === "AlternateContent" ? alternative(children) : [{ ...node, name, children }];
  });
}

/** Of content for newer and for older readers, the first that isn't empty. */
function alternative(choices: readonly XmlNode[]): readonly XmlNode[] {
  for (const name of ["Choice", "Fallback"]) {
    for (const choice of choices) {
      if (isElement(choice) && choice.name === name && choice.children.length > 0) return choice.children;
    }
  }
  return [];
}
