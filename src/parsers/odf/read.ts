import type { Block } from "../../interfaces/block.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { catchRangeErrors } from "../shared/errors/catch-range-errors.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { showsImagesToModel } from "../shared/html/image-options.js";
import { withHeadersAndFooters } from "../shared/office/outside-sections.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { EmbeddedObjects } from "./embedded-object.js";
import { ListNumbers } from "./list-numbers.js";
import { readOdfMetadata } from "./metadata.js";
import { type OdfPackage, openPackage } from "./open-package.js";
import { addSlides } from "./presentation.js";
import { addSheets } from "./spreadsheet.js";
import { OdfStyles } from "./styles.js";
import { MAX_REPEATED_CHARACTERS } from "./table-grid.js";
import { TextWalk, type WalkContext } from "./text-walk.js";

interface OdfDocument extends Omit<ParsedDocument, "mimeType"> {
  /** The MIME type that the file declares; `null` if it declares none. */
  readonly declaredType: string | null;
}

/** Reads an OpenDocument text, spreadsheet, presentation or drawing. */
export async function readDocument({ name, bytes }: SourceFile, options: ParseOptions): Promise<OdfDocument> {
  const parts = await openPackage(name, bytes, options.signal);
  options.signal?.throwIfAborted();
  return { ...catchRangeErrors(name, () => readParts(name, parts, options)), declaredType: parts.mimeType };
}

function readParts(
  fileName: string | null,
  parts: OdfPackage,
  options: ParseOptions,
): Omit<ParsedDocument, "mimeType"> {
  const body = childElements(child(parts.content, "office:body")).find(({ name }) => CONTENT_READERS.has(name));
  if (body === undefined) throw invalidFile(fileName, "has no text, spreadsheet, presentation or drawing.");
  const { title, metadata, pageCount } = readOdfMetadata(parts.meta);
  const commonStyles = child(parts.styles, "office:styles");
  const objects = new EmbeddedObjects(parts, options.config?.chartUnderstanding === true);
  const extractsImages = showsImagesToModel(options);
  const context: WalkContext = {
    styles: new OdfStyles([commonStyles, child(parts.content, "office:automatic-styles")]),
    numbers: new ListNumbers(),
    page: 1,
    addsImages: options.config?.disableImageExtraction !== true,
    readImage: (image) => (extractsImages ? parts.readImage(image) : undefined),
    warnings: new Set(),
    repeatBudget: { remaining: MAX_REPEATED_CHARACTERS },
    formula: (frame) => objects.formula(frame),
    addObject: (walk, frame) => objects.add(walk, frame),
  };
  const list = new BlockList();
  let pages: number | null = CONTENT_READERS.get(body.name)!(list, body, context);
  let blocks: readonly Block[] = list.blocks;
  assertPageCount(fileName, pages ?? 0, "pages");
  if (pages === null) {
    blocks = withHeadersAndFooters(blocks, readHeadersAndFooters(parts.styles, { ...context, page: undefined }));
    // The stored page breaks are usable only if none is missing.
    pages = context.page !== undefined && context.page > 1 && context.page === pageCount ? pageCount : null;
    blocks = pages === null ? blocks.map(withoutPage) : blocks.map((block) => withDefaultPage(block, pageCount!));
  }
  return { blocks, title: title ?? firstHeading(list.blocks), pages, metadata, warnings: [...context.warnings] };
}

/** Adds the content of a body element. Returns the number of pages, or `null` for a text. */
type ContentReader = (list: BlockList, body: XmlElement, context: WalkContext) => number | null;

const CONTENT_READERS: ReadonlyMap<string, ContentReader> = new Map<string, ContentReader>([
  ["office:text", addText],
  ["office:spreadsheet", addSheets],
  ["office:presentation", addSlides],
  ["office:drawing", addSlides],
]);

function addText(list: BlockList, body: XmlElement, context: WalkContext): null {
  new TextWalk(list, context).addNodes(body.children);
  return null;
}

/** Reads the distinct headers and footers of all page styles, without those that have no letters. */
function readHeadersAndFooters(
  styles: XmlElement | undefined,
  context: WalkContext,
): { headers: Set<string>; footers: Set<string> } {
  const pageStyles = new OdfStyles([child(styles, "office:styles"), child(styles, "office:automatic-styles")]);
  const walk = new TextWalk(new BlockList(), { ...context, styles: pageStyles });
  const texts = { headers: new Set<string>(), footers: new Set<string>() };
  for (const page of childElements(child(styles, "office:master-styles"), "style:master-page")) {
    for (const part of childElements(page)) {
      const kind = /^style:(header|footer)(?:-left|-first)?$/.exec(part.name)?.[1];
      if (kind === undefined || part.attributes["style:display"] === "false") continue;
      const text = walk.linesOf(part.children);
      if (/\p{L}/u.test(text)) texts[kind === "header" ? "headers" : "footers"].add(text);
    }
  }
  return texts;
}

function withoutPage(block: Block): Block {
  const { page: _, ...rest } = block;
  return rest;
}

/** Returns the block on its page, or else on the first page, or the last page for a footer. */
function withDefaultPage(block: Block, lastPage: number): Block {
  return block.page === undefined ? { ...block, page: block.kind === "page_footer" ? lastPage : 1 } : block;
}
