import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { child, childElements, prefixedAttribute, type XmlElement } from "../shared/xml/xml-tree.js";

/** The parts of a presentation's slides, in order, and the number of listed but missing ones. */
export function slideParts(office: OfficePackage): { slides: readonly string[]; missing: number } {
  const ids = childElements(child(office.xml(office.mainPart), "sldIdLst"), "sldId");
  const slides = ids
    .map((id) => office.partById(office.mainPart, prefixedAttribute(id, "id")))
    .filter((part) => part !== undefined);
  return { slides, missing: ids.length - slides.length };
}

export function isHidden(slide: XmlElement): boolean {
  return /^(?:0|false)$/.test(slide.attributes.show ?? "");
}
