import { child, type XmlElement } from "../xml/xml-tree.js";

/** The position of a shape, in units of its slide or group. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the position of a shape; `null` if the shape declares none. */
export function shapeBox(shape: XmlElement): Box | null {
  const transform = child(shape, "xfrm") ?? child(shape, "spPr", "xfrm") ?? child(shape, "grpSpPr", "xfrm");
  const offset = child(transform, "off")?.attributes;
  const extent = child(transform, "ext")?.attributes;
  const [left, top, width, height] = [offset?.x, offset?.y, extent?.cx, extent?.cy].map(Number);
  if (![left, top, width, height].every(Number.isFinite)) return null;
  return { left: left!, top: top!, right: left! + width!, bottom: top! + height! };
}
