import { child, childElements, isElement, prefixedAttribute, textContent, type XmlElement } from "../xml/xml-tree.js";

/** Formats an Office formula on one line, with brackets for the layout, as in `(a+b)/(2)`. */
export function formulaText(element: XmlElement): string {
  return linearize(element).trim();
}

function linearize(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  const part = (name: string): string => linearize(child(element, name));
  const property = (name: string): string | undefined =>
    prefixedAttribute(child(element, `${element.name}Pr`, name), "val");
  switch (element.name) {
    case "t":
      return textContent(element);
    case "f":
      return `(${part("num")})/(${part("den")})`;
    case "rad":
      return `√${part("deg") === "" ? "" : `[${part("deg")}]`}(${part("e")})`;
    case "sSup":
      return `${part("e")}${formatScript("^", part("sup"))}`;
    case "sSub":
      return `${part("e")}${formatScript("_", part("sub"))}`;
    case "sSubSup":
    case "sPre":
      return `${part("e")}${formatScript("_", part("sub"))}${formatScript("^", part("sup"))}`;
    case "nary":
      return `${property("chr") ?? "∫"}${formatScript("_", part("sub"))}${formatScript("^", part("sup"))} ${part("e")}`;
    case "d": {
      const inner = childElements(element, "e")
        .map(linearize)
        .join(property("sepChr") ?? "|");
      return `${property("begChr") ?? "("}${inner}${property("endChr") ?? ")"}`;
    }
    case "func":
      return `${part("fName")} ${part("e")}`;
    case "limLow":
      return `${part("e")}${formatScript("_", part("lim"))}`;
    case "limUpp":
      return `${part("e")}${formatScript("^", part("lim"))}`;
    case "acc":
      return `${part("e")}${property("chr") ?? "\u0302"}`;
    case "m": {
      const rows = childElements(element, "mr").map((row) => childElements(row, "e").map(linearize).join(", "));
      return rows.length > 0 ? `[${rows.join("; ")}]` : linearizeChildren(element);
    }
    case "eqArr":
      return childElements(element, "e").map(linearize).join("; ");
    default:
      return linearizeChildren(element);
  }
}

function linearizeChildren(element: XmlElement): string {
  let text = "";
  for (const node of element.children) if (isElement(node) && !node.name.endsWith("Pr")) text += linearize(node);
  return text;
}

/** Formats a superscript or subscript; a single character gets no brackets. */
function formatScript(mark: "_" | "^", text: string): string {
  if (text === "") return "";
  return [...text].length === 1 ? `${mark}${text}` : `${mark}(${text})`;
}
