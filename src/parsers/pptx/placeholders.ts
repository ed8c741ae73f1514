import { shapesOf } from "../shared/ooxml/drawing-blocks.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { type Box, shapeBox } from "../shared/ooxml/shape-box.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** A shape's role in its layout: its type is `title`, `body`, `ftr` … */
export interface Placeholder {
  readonly type: string;
  readonly index: string | undefined;
}

const TITLES = /^(?:title|ctrTitle)$/;

/** The placeholder of a shape; `null` if it has none. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  for (const part of childElements(shape)) {
    if (!part.name.startsWith("nv")) continue;
    const ph = child(part, "nvPr", "ph");
    if (ph !== undefined) return { type: ph.attributes.type ?? "obj", index: ph.attributes.idx };
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

  /** The box of a shape, or else of the placeholder that it inherits from; `null` if none has one. */
  box(shape: XmlElement): Box | null {
    for (const candidate of [shape, ...this.#inherited(shape)]) {
      const box = shapeBox(candidate);
      if (box !== null) return box;
    }
    return null;
  }

  /** The paragraph properties of a level, nearest first: the shape's own, its placeholders', the master's. */
  paragraphStyles(shape: XmlElement, level: number): (XmlElement | undefined)[] {
    const name = `lvl${level + 1}pPr`;
    const styles = [shape, ...this.#inherited(shape)].map((source) => child(source, "txBody", "lstStyle", name));
    const type = placeholderOf(shape)?.type;
    if (type === undefined) return styles;
    const style = TITLES.test(type) ? "titleStyle" : /^(?:body|obj|subTitle)$/.test(type) ? "bodyStyle" : "otherStyle";
    return [...styles, child(this.#textStyles, style, name)];
  }

  #inherited(shape: XmlElement): XmlElement[] {
    const wanted = placeholderOf(shape);
    if (wanted === null) return [];
    const inherited: XmlElement[] = [];
    for (const shapes of this.#layers) {
      const type = placeholderOf(inherited.at(-1) ?? shape)!;
      const found = findPlaceholder(shapes, type);
      if (found !== undefined) inherited.push(found);
    }
    return inherited;
  }
}

/** Matches by index, which slides share with layouts, then by type, since masters use other indexes. */
function findPlaceholder(shapes: readonly XmlElement[], wanted: Placeholder): XmlElement | undefined {
  const family = shapes.filter((shape) => {
    const placeholder = placeholderOf(shape);
    return placeholder !== null && familyOf(placeholder.type) === familyOf(wanted.type);
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
