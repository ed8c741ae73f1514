import type { Block } from "../../interfaces/block.js";
import type { ParsedDocument } from "../../interfaces/parser.js";
import { PARSE_LIMITS } from "../limits.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { fileOverLimit, invalidFile } from "../shared/errors/file-errors.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { EmbeddedObjects } from "./embedded-object.js";
import { ListNumbers } from "./list-numbers.js";
import { odfMetadata } from "./metadata.js";
import type { OdfPackage } from "./open-package.js";
import { addSlides } from "./presentation.js";
import { addSheets } from "./spreadsheet.js";
import { OdfStyles } from "./styles.js";
import { MAX_REPEATED_CHARACTERS } from "./table-grid.js";
import { TextWalk, type WalkContext } from "./text-walk.js";

export interface ReadSettings {
  readonly images: boolean;
  /** Whether to extract the images, not only their descriptions. */
  readonly pictures: boolean;
  readonly charts: boolean;
}

/** The blocks of an OpenDocument text, spreadsheet, presentation or drawing. */
export function readDocument(
  fileName: string | null,
  parts: OdfPackage,
  settings: ReadSettings,
): Omit<ParsedDocument, "mimeType"> {
  const body = childElements(child(parts.content, "office:body")).find(({ name }) => READERS.has(name));
  if (body === undefined) throw invalidFile(fileName, "has no text, spreadsheet, presentation or drawing.");
  const { title, metadata, pageCount } = odfMetadata(parts.meta);
  const common = child(parts.styles, "office:styles");
  const objects = new EmbeddedObjects(parts, settings.charts);
  const context: WalkContext = {
    styles: new OdfStyles([common, child(parts.content, "office:automatic-styles")]),
    numbers: new ListNumbers(),
    page: 1,
    images: settings.images,
    picture: (image) => (settings.pictures ? parts.picture(image) : undefined),
    warnings: new Set(),
    tableRoom: { left: MAX_REPEATED_CHARACTERS },
    formula: (frame) => objects.formula(frame),
    addObject: (walk, frame) => objects.add(walk, frame),
  };
  const list = new BlockList();
  let pages: number | null = READERS.get(body.name)!(list, body, context);
  let blocks: readonly Block[] = list.blocks;
  if (pages !== null && pages > PARSE_LIMITS.maxPages)
    throw fileOverLimit(fileName, `has ${pages} pages, more than the ${PARSE_LIMITS.maxPages} allowed.`);
  if (pages === null) {
    const furniture = pageFurniture(parts.styles, { ...context, page: undefined });
    blocks = [...furniture.headers, ...blocks, ...furniture.footers];
    // Recorded page breaks are only usable if all of them are there.
    pages = context.page !== undefined && context.page > 1 && context.page === pageCount ? pageCount : null;
    blocks = pages === null ? blocks.map(withoutPage) : blocks.map((block) => withPage(block, pageCount!));
  }
  return { blocks, title: title ?? firstHeading(list.blocks), pages, metadata, warnings: [...context.warnings] };
}

type Read = (list: BlockList, body: XmlElement, context: WalkContext) => number | null;

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["office:text", addText],
  ["office:spreadsheet", addSheets],
  ["office:presentation", addSlides],
  ["office:drawing", addSlides],
]);

function addText(list: BlockList, body: XmlElement, context: WalkContext): null {
  new TextWalk(list, context).nodes(body.children);
  return null;
}

/** The distinct headers and footers of all page styles, without bare page numbers. */
function pageFurniture(styles: XmlElement | undefined, context: WalkContext): { headers: Block[]; footers: Block[] } {
  const own = new OdfStyles([child(styles, "office:styles"), child(styles, "office:automatic-styles")]);
  const walk = new TextWalk(new BlockList(), { ...context, styles: own });
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  for (const page of childElements(child(styles, "office:master-styles"), "style:master-page")) {
    for (const part of childElements(page)) {
      const kind = /^style:(header|footer)(?:-left|-first)?$/.exec(part.name)?.[1] as "header" | "footer" | undefined;
      if (kind === undefined || part.attributes["style:display"] === "false") continue;
      const text = walk.linesOf(part.children);
      if (/\p{L}/u.test(text)) texts[kind].add(text);
    }
  }
  const blocks = (kind: "page_header" | "page_footer", lines: Iterable<string>): Block[] =>
    [...lines].map((text) => ({ kind, text, headingPath: [], origin: "native" }));
  return { headers: blocks("page_header", texts.header), footers: blocks("page_footer", texts.footer) };
}

function withoutPage(block: Block): Block {
  const { page: _, ...rest } = block;
  return rest;
}

function withPage(block: Block, last: number): Block {
  return block.page === undefined ? { ...block, page: block.kind === "page_footer" ? last : 1 } : block;
}
