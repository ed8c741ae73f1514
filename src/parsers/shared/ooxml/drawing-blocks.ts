import { KnowledgeBaseError } from "../../../errors.js";
import type { ReadPicture } from "../../../interfaces/block.js";
import type { BlockList } from "../blocks/block-list.js";
import { withPicture } from "../html/find-picture.js";
import { child, childElements, descendants, isElement, prefixedAttribute, type XmlElement } from "../xml/xml-tree.js";
import { readChart } from "./chart.js";
import { diagramNodes } from "./diagram.js";
import { drawingTable } from "./drawing-table.js";
import { drawingParagraphs } from "./drawing-text.js";
import { readExtendedChart } from "./extended-chart.js";
import { ListNumbers } from "./list-numbers.js";
import type { Losses } from "./losses.js";
import type { OfficePackage } from "./office-package.js";
import { isOn } from "./on-off.js";
import { isDecorative, pictureDescription } from "./picture-description.js";

/** Where shapes come from, where their blocks go and what is wanted of them. */
export interface DrawingContext {
  readonly office: OfficePackage;
  /** The part that the shapes are in. */
  readonly part: string;
  readonly list: BlockList;
  readonly page: number;
  readonly losses: Losses;
  readonly images: boolean;
  /** Whether the pictures themselves are wanted, and not only what is said of them. */
  readonly pictures: boolean;
  /** Charts as their title and table, as their title alone, or not at all. */
  readonly charts: "table" | "title";
  /** The properties that decide on a paragraph's bullet, the nearest first. */
  bulletStyles(shape: XmlElement, level: number): readonly (XmlElement | undefined)[];
  /** The shapes of a group in reading order. */
  inOrder(shapes: readonly XmlElement[]): readonly XmlElement[];
}

const SHAPES = new Set(["sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart"]);

/** The shapes directly within a tree, group or anchor. */
export function shapesOf(parent: XmlElement | undefined): XmlElement[] {
  return childElements(parent).filter((element) => SHAPES.has(element.name));
}

/** The non-visual properties of a shape: name, alternative text, whether it is hidden. */
export function shapeProperties(shape: XmlElement): XmlElement | undefined {
  for (const part of childElements(shape)) if (part.name.startsWith("nv")) return child(part, "cNvPr");
  return undefined;
}

/** Adds what a shape shows: text, lists, tables, charts, diagrams, the description of a picture. */
export function addShape(shape: XmlElement, context: DrawingContext): void {
  const properties = shapeProperties(shape);
  if (isOn(properties?.attributes.hidden)) context.losses.object("hidden shapes");
  else if (shape.name === "grpSp") addGroup(shape, properties, context);
  else if (shape.name === "pic") addPicture(shape, properties, context);
  else if (shape.name === "graphicFrame") addFrame(shape, properties, context);
  else {
    addText(shape, context);
    const fill = child(shape, "spPr", "blipFill");
    if (fill !== undefined || !hasText(shape)) addImage(properties, context, fill);
  }
}

/** A group has a description of its own where its members say nothing. */
function addGroup(group: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const before = context.list.blocks.length;
  for (const member of context.inOrder(shapesOf(group))) addShape(member, context);
  if (context.list.blocks.slice(before).every(({ text }) => text === "")) addImage(properties, context);
}

/** Adds the paragraphs of a shape: list items where they have a bullet, paragraphs where not. */
export function addText(shape: XmlElement, context: DrawingContext): void {
  const numbers = new ListNumbers();
  const links = context.office.relationships(context.part);
  for (const { text, level, properties } of drawingParagraphs(child(shape, "txBody"), links)) {
    if (text === "") continue;
    const bullet = bulletOf([properties, ...context.bulletStyles(shape, level)]);
    const details = { page: context.page };
    if (bullet === undefined || bullet.name === "buNone") {
      numbers.interrupt(level);
      context.list.add("paragraph", text, details);
    } else {
      const marker = bullet.name === "buAutoNum" ? numbers.next(level, bullet.attributes) : undefined;
      if (marker === undefined) numbers.interrupt(level);
      context.list.add("list_item", text, {
        ...details,
        level: level + 1,
        ...(marker === undefined ? {} : { marker }),
      });
    }
  }
}

function hasText(shape: XmlElement): boolean {
  return [...descendants(child(shape, "txBody"), "t")].length > 0;
}

function bulletOf(styles: readonly (XmlElement | undefined)[]): XmlElement | undefined {
  for (const style of styles) {
    const bullet = style?.children.find(
      (node): node is XmlElement => isElement(node) && /^bu(?:None|Char|AutoNum|Blip)$/.test(node.name),
    );
    if (bullet !== undefined) return bullet;
  }
  return undefined;
}

function addPicture(shape: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const media = childElements(child(shape, "nvPicPr", "nvPr")).find((part) =>
    /^(?:audio|video|quickTime)/.test(part.name),
  );
  if (media !== undefined) context.losses.object("recordings");
  const fill = child(shape, "blipFill");
  const isLost = context.images && pictureDescription(properties) === "" && pictureOf(fill, context) === undefined;
  if (media === undefined && isLost && !isDecorative(properties)) context.losses.picture();
  addImage(properties, context, fill);
}

/** The picture that a shape is filled with, where it is wanted and in the file. */
function pictureOf(fill: XmlElement | undefined, { pictures, office, part }: DrawingContext): ReadPicture | undefined {
  const target = pictures ? office.partById(part, prefixedAttribute(child(fill, "blip"), "embed")) : undefined;
  return target === undefined ? undefined : () => office.bytes(target);
}

/** @param fill What the picture is named in, where there is one. */
function addImage(properties: XmlElement | undefined, context: DrawingContext, fill?: XmlElement): void {
  const { images, list, page } = context;
  if (!images || isDecorative(properties)) return;
  list.add("image", pictureDescription(properties), { page, ...withPicture(pictureOf(fill, context)) });
}

function addFrame(frame: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const { office, part } = context;
  const [content] = childElements(child(frame, "graphic", "graphicData"));
  if (content === undefined) return;
  if (content.name === "tbl") {
    const [header = [], ...rows] = drawingTable(content, office.relationships(part));
    context.list.table(header, rows, { page: context.page });
  } else if (content.name === "chart") {
    addChart(office.partById(part, prefixedAttribute(content, "id")), properties, context);
  } else if (content.name === "relIds") {
    addDiagram(office.partById(part, prefixedAttribute(content, "dm")), context);
  } else {
    context.losses.object("embedded objects");
    addImage(properties, context);
  }
}

function addDiagram(part: string | undefined, { list, page, office, losses }: DrawingContext): void {
  if (part === undefined) losses.object("diagrams");
  else for (const { text, level } of diagramNodes(office.xml(part))) list.add("list_item", text, { page, level });
}

function addChart(part: string | undefined, properties: XmlElement | undefined, context: DrawingContext): void {
  const { list, page } = context;
  const chart = part === undefined ? null : chartOf(part, context);
  if (chart === null) {
    context.losses.chart();
    addImage(properties, context);
    return;
  }
  list.add("caption", chart.title || (context.charts === "table" ? "Chart" : ""), { page });
  if (context.charts === "table") list.table(chart.header, chart.rows, { page });
  if (pictureDescription(properties) !== chart.title) addImage(properties, context);
}

/** A chart that cannot be read costs the chart, not the document. */
function chartOf(part: string, { office }: DrawingContext): ReturnType<typeof readChart> {
  try {
    const root = office.xml(part);
    return child(root, "chartData") === undefined ? readChart(root) : readExtendedChart(root);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "invalid_input")) return null;
    throw error;
  }
}
