import type { ReadImage } from "../../../interfaces/block.js";
import type { ParseOptions } from "../../../interfaces/parser.js";
import type { BlockList } from "../blocks/block-list.js";
import { imageDetails } from "../html/image-options.js";
import { findSpans } from "../tables/find-spans.js";
import { child, childElements, descendants, isElement, prefixedAttribute, type XmlElement } from "../xml/xml-tree.js";
import { readChart } from "./chart.js";
import { diagramNodes } from "./diagram.js";
import { drawingParagraphs, drawingText } from "./drawing-text.js";
import { imageDescription, isDecorative } from "./image-description.js";
import { ListNumbers } from "./list-numbers.js";
import type { OfficePackage, Relationship } from "./office-package.js";
import { isOn } from "./on-off.js";
import type { SkippedContent } from "./skipped-content.js";

/** How shapes are read. */
export interface DrawingOptions {
  /** Whether descriptions of images become blocks. */
  readonly addsImages: boolean;
  /** Whether to extract the images, not only their descriptions. */
  readonly extractsImages: boolean;
  /** Whether a chart becomes a table below its title. */
  readonly addsCharts: boolean;
}

/** @param chartsByDefault Whether charts are added if `chartUnderstanding` is not set. */
export function drawingOptions({ config = {}, ask }: ParseOptions, chartsByDefault: boolean): DrawingOptions {
  const addsImages = config.disableImageExtraction !== true && config.disableImageCaptions !== true;
  const addsCharts = config.chartUnderstanding ?? chartsByDefault;
  return { addsImages, extractsImages: addsImages && ask !== undefined, addsCharts };
}

/** The source of shapes and the destination of their blocks. */
export interface DrawingTarget extends DrawingOptions {
  readonly office: OfficePackage;
  /** The part with the shapes. */
  readonly part: string;
  readonly list: BlockList;
  readonly page: number;
  readonly skipped: SkippedContent;
}

export interface DrawingContext extends DrawingTarget {
  /** Returns the properties that may define a paragraph's bullet, the most specific first. */
  bulletStyles(shape: XmlElement, level: number): readonly (XmlElement | undefined)[];
  /** Returns the shapes of a group in reading order. */
  sortShapes(shapes: readonly XmlElement[]): readonly XmlElement[];
}

const SHAPE_ELEMENTS = new Set(["sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart"]);

/** Returns the shapes directly within a tree, group or anchor. */
export function shapesOf(parent: XmlElement | undefined): XmlElement[] {
  return childElements(parent).filter((element) => SHAPE_ELEMENTS.has(element.name));
}

/** Returns the non-visual properties of a shape: its name, its alternative text, whether it is hidden. */
function shapeProperties(shape: XmlElement): XmlElement | undefined {
  for (const part of childElements(shape)) if (part.name.startsWith("nv")) return child(part, "cNvPr");
  return undefined;
}

/** Adds the content of a shape: text, lists, tables, charts, diagrams, images and their descriptions. */
export function addShape(shape: XmlElement, context: DrawingContext): void {
  const properties = shapeProperties(shape);
  if (isOn(properties?.attributes.hidden)) context.skipped.countObject("hidden shapes");
  else if (shape.name === "grpSp") addGroup(shape, properties, context);
  else if (shape.name === "pic") addImageShape(shape, properties, context);
  else if (shape.name === "graphicFrame") addFrame(shape, properties, context);
  else {
    addText(shape, context);
    const fill = child(shape, "spPr", "blipFill");
    if (fill !== undefined || !hasText(shape)) addImage(properties, context, fill);
  }
}

/** Adds the shapes of a group, or the group's own description if they have no text. */
function addGroup(group: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const blockCount = context.list.blocks.length;
  for (const member of context.sortShapes(shapesOf(group))) addShape(member, context);
  if (context.list.blocks.slice(blockCount).every(({ text }) => text === "")) addImage(properties, context);
}

/** Adds the paragraphs of a shape; a paragraph with a bullet becomes a list item. */
function addText(shape: XmlElement, context: DrawingContext): void {
  const numbers = new ListNumbers();
  const links = context.office.relationships(context.part);
  for (const { text, level, properties } of drawingParagraphs(child(shape, "txBody"), links)) {
    if (text === "") continue;
    const bullet = bulletOf([properties, ...context.bulletStyles(shape, level)]);
    const { page } = context;
    if (bullet === undefined || bullet.name === "buNone") {
      numbers.interrupt(level);
      context.list.add("paragraph", text, { page });
    } else {
      const marker = bullet.name === "buAutoNum" ? numbers.next(level, bullet.attributes) : undefined;
      if (marker === undefined) numbers.interrupt(level);
      context.list.add("list_item", text, { page, level: level + 1, ...(marker !== undefined && { marker }) });
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

function addImageShape(shape: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const media = childElements(child(shape, "nvPicPr", "nvPr")).find((part) =>
    /^(?:audio|video|quickTime)/.test(part.name),
  );
  if (media !== undefined) context.skipped.countObject("recordings");
  const fill = child(shape, "blipFill");
  const isSkipped = context.addsImages && imageDescription(properties) === "" && imageOf(fill, context) === undefined;
  if (media === undefined && isSkipped && !isDecorative(properties)) context.skipped.countImage();
  addImage(properties, context, fill);
}

/** Returns the image that fills a shape; `undefined` if images aren't extracted or the file doesn't contain it. */
function imageOf(
  fill: XmlElement | undefined,
  { extractsImages, office, part }: DrawingContext,
): ReadImage | undefined {
  const target = extractsImages ? office.partById(part, prefixedAttribute(child(fill, "blip"), "embed")) : undefined;
  return target === undefined ? undefined : () => office.bytes(target);
}

/** @param fill The element that refers to the image, if there is one. */
function addImage(properties: XmlElement | undefined, context: DrawingContext, fill?: XmlElement): void {
  const { addsImages, list, page } = context;
  if (!addsImages || isDecorative(properties)) return;
  list.add("image", imageDescription(properties), { page, ...imageDetails(imageOf(fill, context)) });
}

function addFrame(frame: XmlElement, properties: XmlElement | undefined, context: DrawingContext): void {
  const { office, part } = context;
  const [content] = childElements(child(frame, "graphic", "graphicData"));
  if (content === undefined) return;
  if (content.name === "tbl") {
    const grid = readTable(content, office.relationships(part));
    const [header = [], ...rows] = grid.map((row) => row.map(({ text }) => text));
    context.list.table(header, rows, { page: context.page, table: { spans: findSpans(grid) } });
  } else if (content.name === "chart") {
    addChart(office.partById(part, prefixedAttribute(content, "id")), properties, context);
  } else if (content.name === "relIds") {
    addDiagram(office.partById(part, prefixedAttribute(content, "dm")), context);
  } else {
    context.skipped.countObject("embedded objects");
    addImage(properties, context);
  }
}

/** Reads a DrawingML table as a grid; a cell that spans several columns or rows is repeated in each. */
interface TableCell {
  readonly text: string;
}

/** Reads the cells of a table; a merged cell is the same object in each row and column that it spans. */
function readTable(table: XmlElement, relationships: readonly Relationship[]): TableCell[][] {
  const grid: TableCell[][] = [];
  for (const row of childElements(table, "tr")) {
    const previousRow = grid.at(-1);
    const cells: TableCell[] = [];
    for (const cell of childElements(row, "tc")) {
      const column = cells.length;
      const { hMerge, vMerge } = cell.attributes;
      const merged = isOn(hMerge) ? cells[column - 1] : isOn(vMerge) ? previousRow?.[column] : undefined;
      const isMerged = isOn(hMerge) || isOn(vMerge);
      cells.push(merged ?? { text: isMerged ? "" : drawingText(child(cell, "txBody"), relationships) });
    }
    grid.push(cells);
  }
  return grid.filter((row) => row.some(({ text }) => text !== ""));
}

function addDiagram(part: string | undefined, { list, page, office, skipped }: DrawingContext): void {
  if (part === undefined) skipped.countObject("diagrams");
  else for (const { text, level } of diagramNodes(office.xml(part))) list.add("list_item", text, { page, level });
}

function addChart(part: string | undefined, properties: XmlElement | undefined, context: DrawingContext): void {
  const { list, page, office, addsCharts } = context;
  const root = part === undefined ? null : office.xmlIfIntact(part);
  const chart = root && readChart(root);
  if (chart === null) {
    context.skipped.countChart();
    addImage(properties, context);
    return;
  }
  list.add("caption", chart.title || (addsCharts ? "Chart" : ""), { page });
  if (addsCharts) list.table(chart.header, chart.rows, { page });
  if (imageDescription(properties) !== chart.title) addImage(properties, context);
}
