import { decodeText } from "../charset/decode-text.js";
import { invalidFile } from "../errors/file-errors.js";
import { parseXml } from "../xml/parse-xml.js";
import { isElement, localName, type XmlElement, type XmlNode } from "../xml/xml-tree.js";

/**
 * Parses a part, or an element of a part. Rejects a part with a DOCTYPE, so that no entity is ever expanded.
 *
 * @param fileName The file's name in errors.
 */
export function readXml(fileName: string | null, part: string, xml: Uint8Array | string): XmlElement {
  const text = typeof xml === "string" ? xml : decodeText(xml).text;
  if (text.includes("<!DOCTYPE"))
    throw invalidFile(fileName, `has a part "${part}" with a DOCTYPE, which is not allowed.`);
  // The root is not a list of alternatives, so the result is one element.
  return withLocalNames([parseXml(fileName, text, `part "${part}"`)])[0] as XmlElement;
}

/** Returns nodes with local names, and with one alternative in place of each list of alternatives. */
function withLocalNames(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node) => {
    if (!isElement(node)) return [node];
    const children = withLocalNames(node.children);
    const name = localName(node.name);
    return name === "AlternateContent" ? firstAlternative(children) : [{ ...node, name, children }];
  });
}

/** Returns the first alternative with content: `Choice` is for newer readers, `Fallback` for older ones. */
function firstAlternative(choices: readonly XmlNode[]): readonly XmlNode[] {
  for (const name of ["Choice", "Fallback"]) {
    for (const choice of choices) {
      if (isElement(choice) && choice.name === name && choice.children.length > 0) return choice.children;
    }
  }
  return [];
}
