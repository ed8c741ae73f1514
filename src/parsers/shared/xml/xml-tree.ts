/** An element of an XML document. */
export interface XmlElement {
  /** The name with its prefix; in parts of OOXML files, without a prefix. */
  readonly name: string;
  /** Values by name, including the prefix: `id` and `r:id` are different. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== "string";
}

/** Returns the first element at a path of names within an element; `undefined` if there is none. */
export function child(parent: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = parent;
  for (const name of path) {
    found = found?.children.find((node): node is XmlElement => isElement(node) && node.name === name);
  }
  return found;
}

/** Returns the child elements of an element, or only those with `name`. */
export function childElements(parent: XmlElement | undefined, name?: string): XmlElement[] {
  if (parent === undefined) return [];
  return parent.children.filter(
    (node): node is XmlElement => isElement(node) && (name === undefined || node.name === name),
  );
}

/** Yields the descendants of an element, or only those with `name`, in document order. */
export function* descendants(parent: XmlElement | undefined, name?: string): Generator<XmlElement> {
  const pending = childElements(parent).reverse();
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    if (name === undefined || element.name === name) yield element;
    for (const inner of childElements(element).reverse()) pending.push(inner);
  }
}

/** Returns all character data within an element, unchanged. */
export function textContent(element: XmlElement | undefined): string {
  const parts: string[] = [];
  const pending: XmlNode[] = element === undefined ? [] : [element];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node === "string") parts.push(node);
    else for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!);
  }
  return parts.join("");
}

/** Returns the first prefixed attribute with a local name; documents may use any prefix. */
export function prefixedAttribute(element: XmlElement | undefined, local: string): string | undefined {
  for (const [name, value] of Object.entries(element?.attributes ?? {})) if (name.endsWith(`:${local}`)) return value;
  return undefined;
}

/** Returns a name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
