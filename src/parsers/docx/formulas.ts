import { formulaText } from "../shared/ooxml/formula-text.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import type { XmlElement } from "../shared/xml/xml-tree.js";
import { mapElements } from "./map-elements.js";

/**
 * Replaces the formulas of a WordprocessingML part by text such as `(a+b)/(2)`; the converter would drop them.
 */
export function formulasAsText(xml: string, read: (fragment: string) => XmlElement): string {
  if (!xml.includes("<m:oMath")) return xml;
  const bare = mapElements(xml, "m:oMathParaPr", () => "").replace(/<\/?m:oMathPara(?=[\s/>])[^<>]*>/g, "");
  return mapElements(bare, "m:oMath", (formula) => {
    return `<w:r><w:t xml:space="preserve">${escapeXml(formulaText(read(formula)))}</w:t></w:r>`;
  });
}
