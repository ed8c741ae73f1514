import { shapesOf } from "../shared/ooxml/drawing-blocks.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { type Box, shapeBox } from "../shared/ooxml/shape-box.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** A shape's role in its layout: `title`, `body`, `ftr` … */
export interface Placeholder {
  readonly type: string;
  readonly index: string | undefined;
}

const TITLES = /^(?:title|ctrTitle)$/;

/** The placeholder of a shape; `null` if it has none. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  for (const part of childElements(shape)) {
    if (!part.name.startsWith("nv")) continue;
    const mark = child(part, "nvPr", "ph");
    if (mark !== undefined) return { type: mark.attributes.type ?? "obj", index: mark.attributes.idx };
  }
  return null;
}

export function isTitle(placeholder: Placeholder | null): boolean {
  return placeholder !== null && TITLES.test(placeholder.type);
}

/** A slide's layout and master, which define the position and bullets of its placeholders. */
export class SlideTemplate {
  readonly #layers: readonly (readonly XmlElement[])[];
  readonly #textStyles: XmlElement | undefined;

  constructor(office: OfficePackage, slide: string) {
    const layout = office.related(slide, "slideLayout");
    const master = layout === undefined ? undefined : office.related(layout, "slideMaster");
    const parts = [layout, master].filter((part) => part !== undefined);
    this.#layers = parts.map((part) => shapesOf(child(office.sharedXml(part), "cSld", "spTree")));
    this.#textStyles = master === undefined ? undefined : child(office.sharedXml(master), "txStyles");
  }

  /** The box of a shape: its own, or that of its placeholder. */
  box(shape: XmlElement): Box | null {
    for (const candidate of [shape, ...this.#origins(shape)]) {
      const box = shapeBox(candidate);
      if (box !== null) return box;
    }
    return null;
  }

  /** The paragraph properties of a level, nearest first: the shape's own, its placeholders', the master's. */
  paragraphStyles(shape: XmlElement, level: number): (XmlElement | undefined)[] {
    const name = `lvl${level + 1}pPr`;
    const own = [shape, ...this.#origins(shape)].map((source) => child(source, "txBody", "lstStyle", name));
    const type = placeholderOf(shape)?.type;
    if (type === undefined) return own;
    const style = TITLES.test(type) ? "titleStyle" : /^(?:body|obj|subTitle)$/.test(type) ? "bodyStyle" : "otherStyle";
    return [...own, child(this.#textStyles, style, name)];
  }

  #origins(shape: XmlElement): XmlElement[] {
    const wanted = placeholderOf(shape);
    if (wanted === null) return [];
    const origins: XmlElement[] = [];
    for (const shapes of this.#layers) {
      const type = placeholderOf(origins.at(-1) ?? shape)!;
      const found = findPlaceholder(shapes, type);
      if (found !== undefined) origins.push(found);
    }
    return origins;
  }
}

/** By index, which is exact between slide and layout, then by type, since masters use other indexes. */
function findPlaceholder(shapes: readonly XmlElement[], wanted: Placeholder): XmlElement | undefined {
  const family = shapes.filter((shape) => {
    const mark = placeholderOf(shape);
    return mark !== null && familyOf(mark.type) === familyOf(wanted.type);
  });
  const { index } = wanted;
  const byIndex = family.find((shape) => index !== undefined && placeholderOf(shape)?.index === index);
  return byIndex ?? family[0];
}

/** Types that correspond to each other between slide, layout and master. */
function familyOf(type: string): string {
  if (TITLES.test(type)) return "title";
  return /^(?:dt|ftr|sldNum|hdr)$/.test(type) ? type : "body";
}
