import { childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** A MathML formula on one line, with brackets for the layout, as in `(a+b)/(2)`. */
export function mathText(root: XmlElement): string {
  return linear(root).replace(/\s+/g, " ").trim();
}

function linear(element: XmlElement): string {
  const parts = childElements(element);
  const part = (index: number): string => (parts[index] === undefined ? "" : linear(parts[index]));
  switch (element.name.replace(/^.*:/, "")) {
    case "annotation":
    case "annotation-xml":
      return "";
    case "mi":
    case "mn":
    case "mo":
    case "mtext":
    case "ms":
      return textContent(element);
    case "mfrac":
      return `(${part(0)})/(${part(1)})`;
    case "msup":
    case "mover":
      return `${part(0)}^${bracket(part(1))}`;
    case "msub":
    case "munder":
      return `${part(0)}_${bracket(part(1))}`;
    case "msubsup":
    case "munderover":
      return `${part(0)}_${bracket(part(1))}^${bracket(part(2))}`;
    case "msqrt":
      return `√(${parts.map(linear).join("")})`;
    case "mroot":
      return `${bracket(part(1))}√(${part(0)})`;
    case "mtd":
      return `${parts.map(linear).join("")} `;
    default:
      return parts.map(linear).join("");
  }
}

function bracket(text: string): string {
  return [...text].length <= 1 ? text : `(${text})`;
}
