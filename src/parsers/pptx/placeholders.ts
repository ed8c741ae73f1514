import { shapesOf } from "../shared/ooxml/drawing-blocks.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { type Box, shapeBox } from "../shared/ooxml/shape-box.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** The type and index by which a shape refers to a placeholder of the slide layout. */
export interface Placeholder {
  /** `title`, `body`, `ftr` or another placeholder type. */
  readonly type: string;
  readonly index: string | undefined;
}

const TITLE_TYPE_PATTERN = /^(?:title|ctrTitle)$/;

/** Returns the type and index of a placeholder, or `null` if the shape is not a placeholder. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  for (const part of childElements(shape)) {
    if (!part.name.startsWith("nv")) continue;
    const ph = child(part, "nvPr", "ph");
    if (ph !== undefined) return { type: ph.attributes.type ?? "obj", index: ph.attributes.idx };
  }
  return null;
}

export function isTitle(placeholder: Placeholder | null): boolean {
  return placeholder !== null && TITLE_TYPE_PATTERN.test(placeholder.type);
}

/** A slide's layout and master, which define the position and bullets of its placeholders. */
export class SlideTemplate {
  /** The shapes of the layout and of the master. */
  readonly #layers: readonly (readonly XmlElement[])[];
  readonly #textStyles: XmlElement | undefined;

  constructor(office: OfficePackage, slide: string) {
    const layout = office.related(slide, "slideLayout");
    const master = layout === undefined ? undefined : office.related(layout, "slideMaster");
    const parts = [layout, master].filter((part) => part !== undefined);
    this.#layers = parts.map((part) => shapesOf(child(office.sharedXml(part), "cSld", "spTree")));
    this.#textStyles = master === undefined ? undefined : child(office.sharedXml(master), "txStyles");
  }

  /** Returns the box of a shape, or of the nearest placeholder from which it inherits, or `null` if none has one. */
  box(shape: XmlElement): Box | null {
    for (const candidate of [shape, ...this.#inheritedPlaceholders(shape)]) {
      const box = shapeBox(candidate);
      if (box !== null) return box;
    }
    return null;
  }

  /**
   * Returns the properties of paragraphs at a level, the most specific first: the shape's own, those of the placeholders
   * from which it inherits, and those of the master's text styles.
   */
  paragraphStyles(shape: XmlElement, level: number): (XmlElement | undefined)[] {
    const name = `lvl${level + 1}pPr`;
    const styles = [shape, ...this.#inheritedPlaceholders(shape)].map((source) =>
      child(source, "txBody", "lstStyle", name),
    );
    const type = placeholderOf(shape)?.type;
    if (type === undefined) return styles;
    const style = TITLE_TYPE_PATTERN.test(type)
      ? "titleStyle"
      : /^(?:body|obj|subTitle)$/.test(type)
        ? "bodyStyle"
        : "otherStyle";
    return [...styles, child(this.#textStyles, style, name)];
  }

  #inheritedPlaceholders(shape: XmlElement): XmlElement[] {
    if (placeholderOf(shape) === null) return [];
    const inherited: XmlElement[] = [];
    for (const shapes of this.#layers) {
      const placeholder = placeholderOf(inherited.at(-1) ?? shape)!;
      const found = findPlaceholder(shapes, placeholder);
      if (found !== undefined) inherited.push(found);
    }
    return inherited;
  }
}

/**
 * Finds a placeholder by its index, which slides share with layouts, or else by its type, since masters use other
 * indexes.
 */
function findPlaceholder(shapes: readonly XmlElement[], wanted: Placeholder): XmlElement | undefined {
  const family = shapes.filter((shape) => {
    const placeholder = placeholderOf(shape);
    return placeholder !== null && familyOf(placeholder.type) === familyOf(wanted.type);
  });
  const { index } = wanted;
  const byIndex = family.find((shape) => index !== undefined && placeholderOf(shape)?.index === index);
  return byIndex ?? family[0];
}

/** Returns a name for all placeholder types that correspond to each other in slide, layout and master. */
function familyOf(type: string): string {
  if (TITLE_TYPE_PATTERN.test(type)) return "title";
  return /^(?:dt|ftr|sldNum|hdr)$/.test(type) ? type : "body";
}
