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
  const odfPackage = await openPackage(name, bytes, options.signal);
  options.signal?.throwIfAborted();
  return { ...catchRangeErrors(name, () => readPackage(name, odfPackage, options)), declaredType: odfPackage.mimeType };
}

function readPackage(
  fileName: string | null,
  odfPackage: OdfPackage,
  options: ParseOptions,
): Omit<ParsedDocument, "mimeType"> {
  const body = childElements(child(odfPackage.content, "office:body")).find(({ name }) => CONTENT_READERS.has(name));
  if (body === undefined) throw invalidFile(fileName, "has no text, spreadsheet, presentation or drawing.");
  const { title, metadata, storedPageCount } = readOdfMetadata(odfPackage.meta);
  const commonStyles = child(odfPackage.styles, "office:styles");
  // Charts of a spreadsheet repeat its cells, so their data is added only on request.
  const addsChartData = options.config?.chartUnderstanding ?? body.name !== "office:spreadsheet";
  const objects = new EmbeddedObjects(odfPackage, addsChartData);
  const extractsImages = showsImagesToModel(options);
  const context: WalkContext = {
    styles: new OdfStyles([commonStyles, child(odfPackage.content, "office:automatic-styles")]),
    numbers: new ListNumbers(),
    page: 1,
    addsImages: options.config?.disableImageExtraction !== true,
    readImage: (image) => (extractsImages ? odfPackage.readImage(image) : undefined),
    warnings: new Set(),
    repeatBudget: { remaining: MAX_REPEATED_CHARACTERS },
    formula: (frame) => objects.formula(frame),
    addObject: (walk, frame) => objects.add(walk, frame),
  };
  const list = new BlockList();
  const masters = childElements(child(odfPackage.styles, "office:master-styles"), "style:master-page");
  let pageCount: number | null = CONTENT_READERS.get(body.name)!(list, body, context, masters);
  let blocks: readonly Block[] = list.blocks;
  assertPageCount(fileName, pageCount ?? 0, "pages");
  if (pageCount === null) {
    blocks = withHeadersAndFooters(blocks, readHeadersAndFooters(odfPackage.styles, { ...context, page: undefined }));
    // The stored page breaks are usable only if none is missing.
    const isUsable = context.page !== undefined && context.page > 1 && context.page === storedPageCount;
    pageCount = isUsable ? storedPageCount : null;
    blocks = isUsable ? blocks.map((block) => withDefaultPage(block, storedPageCount!)) : blocks.map(withoutPage);
  }
  return {
    blocks,
    title: title ?? firstHeading(list.blocks),
    pages: pageCount,
    metadata,
    warnings: [...context.warnings],
  };
}

/** Adds the content of a body element. Returns the number of pages, or `null` for a text. */
type ContentReader = (
  list: BlockList,
  body: XmlElement,
  context: WalkContext,
  masters: readonly XmlElement[],
) => number | null;

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
      const text = walk.multilineText(part.children);
      if (/\p{L}/u.test(text)) texts[kind === "header" ? "headers" : "footers"].add(text);
    }
  }
  return texts;
}

function withoutPage(block: Block): Block {
  const { page: _, ...rest } = block;
  return rest;
}

/** Returns a block with its page. A footer without a page is on the last page, any other block on the first. */
function withDefaultPage(block: Block, lastPage: number): Block {
  return block.page === undefined ? { ...block, page: block.kind === "page_footer" ? lastPage : 1 } : block;
}
