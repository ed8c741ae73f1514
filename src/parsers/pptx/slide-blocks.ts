import { BlockList } from "../shared/blocks/block-list.js";
import { addShape, type DrawingContext, shapesOf } from "../shared/ooxml/drawing-blocks.js";
import { drawingText } from "../shared/ooxml/drawing-text.js";
import { Losses } from "../shared/ooxml/losses.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { shapeBox } from "../shared/ooxml/shape-box.js";
import { child, type XmlElement } from "../shared/xml/xml-tree.js";
import { impliedTitle } from "./implied-title.js";
import { isTitle, placeholderOf, SlideTemplate } from "./placeholders.js";
import { readingOrder } from "./reading-order.js";

export interface Slide {
  /** Name of the part. */
  readonly part: string;
  readonly tree: XmlElement;
}

export interface SlideOptions {
  readonly page: number;
  readonly images: boolean;
  readonly pictures: boolean;
  readonly charts: "table" | "title";
}

/** Adds the content of a slide, its title first. */
export function slideBlocks(
  office: OfficePackage,
  { part, tree }: Slide,
  list: BlockList,
  losses: Losses,
  { page, images, pictures, charts }: SlideOptions,
): void {
  const template = new SlideTemplate(office, part);
  const context: DrawingContext = {
    office,
    part,
    list,
    page,
    losses,
    images,
    pictures,
    charts,
    bulletStyles: (shape, level) => template.paragraphStyles(shape, level),
    inOrder: (shapes) => ordered(shapes, shapeBox),
  };
  const shapes = shapesOf(child(tree, "cSld", "spTree"));
  const furniture = shapes.filter((shape) => furnitureKind(shape) !== null);
  const content = ordered(
    shapes.filter((shape) => !furniture.includes(shape)),
    (shape) => template.box(shape),
  );
  const marked = content.filter((shape) => isTitle(placeholderOf(shape)) && titleText(shape) !== "");
  const titles = marked.length > 0 ? marked : [impliedTitle(content)].filter((shape) => shape !== undefined);
  const body = content.filter((shape) => !titles.includes(shape));
  for (const shape of furniture) addFurniture(shape, "page_header", context);
  for (const shape of titles) list.heading(1, titleText(shape), { page });
  if (titles.length === 0 && showsAnything(body, context)) untitled(list, page);
  for (const shape of body) addShape(shape, context);
  for (const shape of furniture) addFurniture(shape, "page_footer", context);
}

/** Adds an empty heading: otherwise a slide without a title would be under the title of the previous one. */
function untitled(list: BlockList, page: number): void {
  if (list.blocks.some((block) => block.kind === "heading")) list.heading(1, `Slide ${page}`, { page });
}

function showsAnything(shapes: readonly XmlElement[], context: DrawingContext): boolean {
  const list = new BlockList();
  for (const shape of shapes) addShape(shape, { ...context, list, losses: new Losses() });
  return list.blocks.length > 0;
}

function ordered(shapes: readonly XmlElement[], box: (shape: XmlElement) => ReturnType<typeof shapeBox>): XmlElement[] {
  return readingOrder(shapes.map((shape) => ({ shape, box: box(shape) }))).map(({ shape }) => shape);
}

function titleText(shape: XmlElement): string {
  return drawingText(child(shape, "txBody"), []).replace(/\s+/g, " ").trim();
}

function furnitureKind(shape: XmlElement): "page_header" | "page_footer" | null {
  const type = placeholderOf(shape)?.type ?? "";
  if (type === "hdr") return "page_header";
  return /^(?:dt|ftr|sldNum)$/.test(type) ? "page_footer" : null;
}

function addFurniture(shape: XmlElement, kind: "page_header" | "page_footer", { list, page }: DrawingContext): void {
  if (furnitureKind(shape) === kind) list.add(kind, drawingText(child(shape, "txBody"), []), { page });
}
