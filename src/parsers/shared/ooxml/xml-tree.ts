/** An element of an OOXML part. Namespaces of elements are left out: no part uses one local name in two senses. */
export interface XmlElement {
  readonly name: string;
  /** By name as written, prefix included: `id` and `r:id` are two. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== "string";
}

/** The first element on a path of names below an element. */
export function child(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) {
    found = found?.children.find((node): node is XmlElement => isElement(node) && node.name === name);
  }
  return found;
}

/** The elements directly within an element, all of them or those of one name. */
export function children(element: XmlElement | undefined, name?: string): XmlElement[] {
  if (element === undefined) return [];
  return element.children.filter(
    (node): node is XmlElement => isElement(node) && (name === undefined || node.name === name),
  );
}

/** Every element of a name within an element, in document order. */
export function* descendants(element: XmlElement | undefined, name: string): Generator<XmlElement> {
  const pending = children(element).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.name === name) yield next;
    pending.push(...children(next).reverse());
  }
}

/** An attribute by its local name, whatever its prefix, as that of relationships may be any. */
export function prefixed(element: XmlElement | undefined, name: string): string | undefined {
  for (const [key, value] of Object.entries(element?.attributes ?? {})) if (key.endsWith(`:${name}`)) return value;
  return undefined;
}

/** All character data within an element. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  let text = "";
  for (const node of element.children) text += isElement(node) ? textOf(node) : node;
  return text;
}

/** Whether an attribute of type `xsd:boolean` is set to true. */
export function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true" || value === "on";
}
