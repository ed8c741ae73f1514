import { BlockList } from "../shared/blocks/block-list.js";
import { addShape, type DrawingContext, type DrawingTarget, shapesOf } from "../shared/ooxml/drawing-blocks.js";
import { drawingText } from "../shared/ooxml/drawing-text.js";
import { type Box, shapeBox } from "../shared/ooxml/shape-box.js";
import { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { child, type XmlElement } from "../shared/xml/xml-tree.js";
import { findImpliedTitle } from "./implied-title.js";
import { isTitle, placeholderOf, SlideTemplate } from "./placeholders.js";
import { sortForReading } from "./reading-order.js";

/** Adds the content of a slide, beginning with its title. */
export function addSlide(slide: XmlElement, target: DrawingTarget): void {
  const { office, part, list, page } = target;
  const template = new SlideTemplate(office, part);
  const context: DrawingContext = {
    ...target,
    bulletStyles: (shape, level) => template.paragraphStyles(shape, level),
    sortShapes: (shapes) => sortShapes(shapes, shapeBox),
  };
  const shapes = shapesOf(child(slide, "cSld", "spTree"));
  const addHeaderOrFooter = (kind: "page_header" | "page_footer"): void => {
    for (const shape of shapes.filter((shape) => headerOrFooterKind(shape) === kind))
      list.add(kind, drawingText(child(shape, "txBody"), []), { page });
  };
  const contentShapes = shapes.filter((shape) => headerOrFooterKind(shape) === null);
  const content = sortShapes(contentShapes, (shape) => template.box(shape));
  const declaredTitles = content.filter((shape) => isTitle(placeholderOf(shape)) && titleText(shape) !== "");
  const titles =
    declaredTitles.length > 0 ? declaredTitles : [findImpliedTitle(content)].filter((shape) => shape !== undefined);
  const body = content.filter((shape) => !titles.includes(shape));
  addHeaderOrFooter("page_header");
  for (const shape of titles) list.heading(1, titleText(shape), { page });
  // Without a heading, the slide would belong to the title of the previous slide.
  const needsHeading = titles.length === 0 && list.blocks.some((block) => block.kind === "heading");
  if (needsHeading && hasContent(body, context)) list.heading(1, `Slide ${page}`, { page });
  for (const shape of body) addShape(shape, context);
  addHeaderOrFooter("page_footer");
}

function hasContent(shapes: readonly XmlElement[], context: DrawingContext): boolean {
  const list = new BlockList();
  for (const shape of shapes) addShape(shape, { ...context, list, skipped: new SkippedContent() });
  return list.blocks.length > 0;
}

function sortShapes(shapes: readonly XmlElement[], boxOf: (shape: XmlElement) => Box | null): XmlElement[] {
  return sortForReading(shapes.map((shape) => ({ shape, box: boxOf(shape) }))).map(({ shape }) => shape);
}

function titleText(shape: XmlElement): string {
  return drawingText(child(shape, "txBody"), []).replace(/\s+/g, " ").trim();
}

function headerOrFooterKind(shape: XmlElement): "page_header" | "page_footer" | null {
  const type = placeholderOf(shape)?.type ?? "";
  if (type === "hdr") return "page_header";
  return /^(?:dt|ftr|sldNum)$/.test(type) ? "page_footer" : null;
}
