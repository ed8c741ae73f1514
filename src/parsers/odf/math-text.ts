import { childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Converts a MathML formula to one line of text, with parentheses for its structure, as in `(a+b)/(2)`. */
export function mathText(root: XmlElement): string {
  return linearize(root).replace(/\s+/g, " ").trim();
}

function linearize(element: XmlElement): string {
  const parts = childElements(element);
  const part = (index: number): string => (parts[index] === undefined ? "" : linearize(parts[index]));
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
      return `${part(0)}^${parenthesize(part(1))}`;
    case "msub":
    case "munder":
      return `${part(0)}_${parenthesize(part(1))}`;
    case "msubsup":
    case "munderover":
      return `${part(0)}_${parenthesize(part(1))}^${parenthesize(part(2))}`;
    case "msqrt":
      return `√(${parts.map(linearize).join("")})`;
    case "mroot":
      return `${parenthesize(part(1))}√(${part(0)})`;
    case "mtd":
      return `${parts.map(linearize).join("")} `;
    default:
      return parts.map(linearize).join("");
  }
}

function parenthesize(text: string): string {
  return [...text].length <= 1 ? text : `(${text})`;
}
