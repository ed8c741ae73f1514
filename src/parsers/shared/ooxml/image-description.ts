import { childElements, descendants, type XmlElement } from "../xml/xml-tree.js";
import { isOn } from "./on-off.js";

// Descriptions written by software: file names, numbered names, and notes that a description was generated.
const FILE_NAME = /^(?:[a-z]:\\|file:|https?:)?\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?|webp)$/i;
const NUMBERED = /^(?:picture|image|graphic|shape|bild|grafik|imagen?|immagine|рисунок|图片|図)\s*\d*$/iu;
const GENERATED = /\s*(?:Description automatically generated|AI-generated content may be incorrect)[^\n]*/gi;

/** The alternative text of a shape, from its non-visual properties; empty if there is no meaningful one. */
export function imageDescription(properties: XmlElement | undefined): string {
  const { descr = "", title = "" } = properties?.attributes ?? {};
  for (const candidate of [descr, title]) {
    const text = candidate.replace(GENERATED, "").replace(/\s+/g, " ").trim();
    if (text !== "" && !FILE_NAME.test(text) && !NUMBERED.test(text)) return text;
  }
  return "";
}

/** Whether the author marked an image as decorative. */
export function isDecorative(properties: XmlElement | undefined): boolean {
  if (childElements(properties).length === 0) return false;
  return [...descendants(properties, "decorative")].some((mark) => isOn(mark.attributes.val));
}
