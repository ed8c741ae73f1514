import { childElements, descendants, type XmlElement } from "../xml/xml-tree.js";
import { isOn } from "./on-off.js";

// These match descriptions written by software: file names, numbered names, and notes on generated descriptions.
const FILE_NAME_PATTERN = /^(?:[a-z]:\\|file:|https?:)?\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?|webp)$/i;
const NUMBERED_NAME_PATTERN = /^(?:picture|image|graphic|shape|bild|grafik|imagen?|immagine|рисунок|图片|図)\s*\d*$/iu;
const GENERATED_NOTE_PATTERN =
  /\s*(?:Description automatically generated|AI-generated content may be incorrect)[^\n]*/gi;

/** Returns the alternative text in a shape's non-visual properties; empty if there is no meaningful text. */
export function imageDescription(properties: XmlElement | undefined): string {
  const { descr = "", title = "" } = properties?.attributes ?? {};
  for (const candidate of [descr, title]) {
    const text = candidate.replace(GENERATED_NOTE_PATTERN, "").replace(/\s+/g, " ").trim();
    if (text !== "" && !FILE_NAME_PATTERN.test(text) && !NUMBERED_NAME_PATTERN.test(text)) return text;
  }
  return "";
}

/** Whether the author marked an image as decorative. */
export function isDecorative(properties: XmlElement | undefined): boolean {
  if (childElements(properties).length === 0) return false;
  return [...descendants(properties, "decorative")].some((mark) => isOn(mark.attributes.val));
}
