import { mapElements, outermostElements } from "./map-elements.js";

/** Elements that only wrap text, and that the converter would leave out with all that they hold. */
const WRAPPERS = /<(\/?)w:(?:fldSimple|dir|bdo|ruby|rubyBase)(?=[\s/>])[^<>]*>/g;
const ROUND_SHAPES = /<(\/?)v:(?:oval|arc|curve|polyline|line)(?=[\s/>])/g;

/** Writes what the converter does not know in the words that it knows; nothing else is changed. */
export function plainMarkup(xml: string): string {
  const wrapped = withoutReadings(xml)
    .replace(WRAPPERS, (tag, close: string) => (tag.endsWith("/>") ? "" : `<${close}w:smartTag>`))
    .replace(ROUND_SHAPES, "<$1v:rect")
    .replace(/<w:cr\s*\/>/g, "<w:br/>")
    .replace(/<w:ptab(?:\s[^<>]*)?\/>/g, "<w:tab/>");
  if (!wrapped.includes("<w:txbxContent")) return wrapped;
  return mapElements(mapElements(wrapped, "mc:AlternateContent", withTextBoxes), "w:drawing", withTextBoxes);
}

/** Leaves out how words are read, which stands beside them. */
function withoutReadings(xml: string): string {
  if (!xml.includes("<w:ruby")) return xml;
  return mapElements(
    mapElements(xml, "w:rt", () => ""),
    "w:rubyPr",
    () => "",
  );
}

/** The text boxes of a drawing, where there is no older form of it that the converter reads. */
function withTextBoxes(element: string): string {
  if (!element.includes("<w:txbxContent")) return element;
  const fallback = element.indexOf("<mc:Fallback");
  if (fallback !== -1 && element.includes("<w:txbxContent", fallback)) return element;
  return `<w:pict>${outermostElements(element, "w:txbxContent").join("")}</w:pict>`;
}
