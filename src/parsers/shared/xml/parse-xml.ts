import { PARSE_LIMITS } from "../../limits.js";
import { invalidFile } from "../errors/file-errors.js";
import { tokenizeXml, type XmlHandler } from "./tokenize-xml.js";
import { attributesOf } from "./xml-attributes.js";
import type { XmlElement, XmlNode } from "./xml-tree.js";

/**
 * Parses an XML document without recursion and returns its root. Resolves only XML's five entities and numeric
 * character references.
 *
 * @param part The document's name in errors, for example `content.xml`.
 * @throws `invalid_input` for text that is not well-formed XML, for elements nested deeper than 5,000, and for a
 * DOCTYPE with an internal subset. A DOCTYPE that only refers to an external subset is ignored.
 */
export function parseXml(fileName: string | null, xml: string, part = "XML"): XmlElement {
  const builder = new TreeBuilder(fileName, part);
  const end = tokenizeXml(xml, builder);
  if (xml.includes("<", end)) throw builder.damagedError("ends within a tag");
  return builder.root();
}

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

class TreeBuilder implements XmlHandler {
  readonly #fileName: string | null;
  readonly #part: string;
  /** The document, then the open elements. */
  readonly #open: OpenElement[] = [{ name: "", attributes: {}, children: [] }];

  constructor(fileName: string | null, part: string) {
    this.#fileName = fileName;
    this.#part = part;
  }

  open(name: string, attributes: string): void {
    if (name === "") throw this.damagedError("has a tag without a name");
    const element = { name, attributes: attributesOf(attributes), children: [] };
    this.#open.at(-1)!.children.push(element);
    this.#open.push(element);
    const { maxXmlDepth } = PARSE_LIMITS;
    if (this.#open.length > maxXmlDepth) throw this.damagedError(`is nested deeper than ${maxXmlDepth} elements`);
  }

  close(name: string): void {
    if (this.#open.length === 1 || this.#open.at(-1)!.name !== name)
      throw this.damagedError(`has </${name}> without a matching start tag`);
    this.#open.pop();
  }

  text(text: string): void {
    if (this.#open.length > 1) this.#open.at(-1)!.children.push(text);
  }

  doctype(declaration: string): void {
    if (declaration.includes("["))
      throw invalidFile(this.#fileName, "has a DOCTYPE with declarations, which are not supported.");
  }

  /** @throws if an element is still open, or the document has no elements. */
  root(): XmlElement {
    if (this.#open.length > 1) throw this.damagedError(`ends within <${this.#open.at(-1)!.name}>`);
    const [root] = this.#open[0]!.children;
    if (root === undefined) throw this.damagedError("has no elements");
    return root as XmlElement;
  }

  damagedError(problem: string): Error {
    return invalidFile(this.#fileName, `is damaged: its ${this.#part} ${problem}.`);
  }
}
