import { formulaText } from "../shared/ooxml/formula-text.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import type { XmlElement } from "../shared/xml/xml-tree.js";
import { mapElements, outermostElements } from "./map-elements.js";

/**
 * Matches the tags of elements that only wrap text. The converter would drop them with their content, so they become
 * `w:smartTag`, whose content it reads.
 */
const WRAPPER_TAG_PATTERN = /<(\/?)w:(?:fldSimple|dir|bdo|ruby|rubyBase)(?=[\s/>])[^<>]*>/g;
const UNSUPPORTED_SHAPE_PATTERN = /<(\/?)v:(?:oval|arc|curve|polyline|line)(?=[\s/>])/g;

/** Rewrites markup that the converter doesn't support. Other markup stays unchanged. */
export function simplifyMarkup(xml: string): string {
  const supported = withoutReadings(xml)
    .replace(WRAPPER_TAG_PATTERN, (tag, close: string) => (tag.endsWith("/>") ? "" : `<${close}w:smartTag>`))
    .replace(UNSUPPORTED_SHAPE_PATTERN, "<$1v:rect")
    .replace(/<w:cr\s*\/>/g, "<w:br/>")
    .replace(/<w:ptab(?:\s[^<>]*)?\/>/g, "<w:tab/>");
  if (!supported.includes("<w:txbxContent")) return supported;
  return mapElements(mapElements(supported, "mc:AlternateContent", withTextBoxes), "w:drawing", withTextBoxes);
}

/** Removes the readings of ruby text. */
function withoutReadings(xml: string): string {
  if (!xml.includes("<w:ruby")) return xml;
  const withoutRt = mapElements(xml, "w:rt", () => "");
  return mapElements(withoutRt, "w:rubyPr", () => "");
}

/** Replaces a drawing with its text boxes, unless the drawing has a fallback that the converter supports. */
function withTextBoxes(element: string): string {
  if (!element.includes("<w:txbxContent")) return element;
  const fallback = element.indexOf("<mc:Fallback");
  if (fallback !== -1 && element.includes("<w:txbxContent", fallback)) return element;
  return `<w:pict>${outermostElements(element, "w:txbxContent").join("")}</w:pict>`;
}

/** Replaces formulas with text such as `(a+b)/(2)`. The converter would drop them. */
export function replaceFormulas(xml: string, read: (fragment: string) => XmlElement): string {
  if (!xml.includes("<m:oMath")) return xml;
  const inline = mapElements(xml, "m:oMathParaPr", () => "").replace(/<\/?m:oMathPara(?=[\s/>])[^<>]*>/g, "");
  return mapElements(inline, "m:oMath", (formula) => {
    return `<w:r><w:t xml:space="preserve">${escapeXml(formulaText(read(formula)))}</w:t></w:r>`;
  });
}
