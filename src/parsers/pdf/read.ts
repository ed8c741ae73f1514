import type { PDFDocumentProxy } from "pdfjs-dist";
import { KnowledgeBaseError } from "../../errors.js";
import type { Block } from "../../interfaces/block.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { addConfidence } from "../shared/ocr/confidence.js";
import { Headings } from "./headings/headings.js";
import { readOutline } from "./headings/outline.js";
import { Destinations } from "./page/destinations.js";
import { FontWeights } from "./page/font-weights.js";
import { LinkMarks } from "./page/link-marks.js";
import { pageWarning } from "./page/page-list.js";
import type { PageText } from "./page/page-model.js";
import { splitFurniture } from "./page-furniture.js";
import { type ReadingContext, readPageText } from "./page-text.js";
import { openPdf } from "./pdfjs/open-pdf.js";
import { isTaggedPdf, pdfProperties } from "./properties.js";
import { withImages } from "./scans/add-images.js";
import { PageCounter } from "./scans/page-counter.js";
import { isTextless, readScans } from "./scans/read-scans.js";
import { CrossReferences } from "./text/cross-references.js";
import { pagesToBlocks } from "./to-blocks.js";
import { isWaitPage, isXfaForm, readXfaForm } from "./xfa.js";

const UNREAD_FORM_WARNING = "The document is a form in XFA that could not be read; only its pages were.";

/** The number of pages from which a document is long: the first pages are less than a fifth of it. */
const LONG_DOCUMENT_PAGES = 300;
/** The number of pages that are read first of a long document. */
const FIRST_PAGES = 50;

interface PageReading {
  /** How many of the pages to read, from the first. @default all */
  readonly readPages: number | undefined;
  readonly counter: PageCounter;
  readonly options: ParseOptions;
}

/** Reads a PDF: takes the text of pages that have any, and recognises scanned pages by OCR. */
export async function readPdf(file: SourceFile, allOptions: ParseOptions): Promise<ParsedDocument> {
  const { document, close } = await openPdf(file.name, file.bytes);
  try {
    assertPageCount(file.name, document.numPages, "pages");
    const readPages = firstPagesOf(document.numPages, allOptions);
    const options = readPages === undefined ? allOptions : withoutSlowSteps(allOptions);
    const isForm = await isXfaForm(document);
    const form = isForm ? await readXfaForm(file, options.signal) : null;
    if (form !== null && (await isWaitPage(document))) {
      const { title, metadata } = await pdfProperties(document);
      return { ...form, title: title ?? firstHeading(form.blocks), mimeType: "application/pdf", metadata };
    }
    const fonts = new FontWeights();
    const links = new LinkMarks();
    const context = { isTagged: await isTaggedPdf(document), fonts, links };
    const counter = new PageCounter(document.numPages, options.onPages);
    const { pages: nativePages, warnings } = await readPageTexts(document, file, context, {
      readPages,
      counter,
      options,
    });
    const {
      pages,
      words,
      warnings: scanWarnings,
    } = await readScans({ document, bytes: file.bytes, pages: nativePages, counter }, options);
    if (readPages === undefined) counter.end();
    await fonts.readHeadingFonts(document, pages, options.signal);
    const destinations = new Destinations(document);
    const outline = await readOutline(document, destinations);
    const headings = new Headings(pages, (font) => fonts.isBold(font), outline);
    const list = new BlockList();
    const references = await CrossReferences.read(pages, destinations);
    pagesToBlocks(list, pages, splitFurniture(pages, headings), headings, { marks: links, references });
    const read = addConfidence(list.blocks, words);
    const withPictures = options.ask && (await withImages(read, file.bytes, { pages: document.numPages, options }));
    const { title, metadata } = await pdfProperties(document);
    return {
      blocks: [...(withPictures?.blocks ?? read), ...withoutPages(form?.blocks ?? [])],
      title: title ?? firstHeading(list.blocks),
      mimeType: "application/pdf",
      pages: document.numPages,
      ...(readPages === undefined ? {} : { readPages }),
      metadata,
      warnings: [
        ...(isForm && form === null ? [UNREAD_FORM_WARNING] : []),
        ...warnings,
        ...scanWarnings,
        ...(withPictures?.warnings ?? []),
      ],
    };
  } finally {
    await close();
  }
}

/** How many pages to read at first; `undefined` for all. Without text of its own, no page can be read soon. */
function firstPagesOf(pages: number, { firstPages = false, config }: ParseOptions): number | undefined {
  return firstPages && pages >= LONG_DOCUMENT_PAGES && config?.forceOcr !== true ? FIRST_PAGES : undefined;
}

function withoutSlowSteps(options: ParseOptions): ParseOptions {
  return { ...options, ask: undefined, config: { ...options.config, mode: "fast" } };
}

/** Returns the blocks of a form whose file has pages of its own, to which the numbers of pages refer. */
function withoutPages(blocks: readonly Block[]): readonly Block[] {
  return blocks.map(({ page: _, ...block }) => block);
}

/** Reads the text of all pages, or of the first. Skips damaged pages with a warning, unless all pages are damaged. */
async function readPageTexts(
  document: PDFDocumentProxy,
  file: SourceFile,
  context: ReadingContext,
  { readPages = document.numPages, counter, options }: PageReading,
): Promise<{ pages: PageText[]; warnings: string[] }> {
  const pages: PageText[] = [];
  const damagedPages: number[] = [];
  let cause: unknown;
  for (let number = 1; number <= readPages; number++) {
    options.signal?.throwIfAborted();
    try {
      const page = await document.getPage(number);
      const text = await readPageText(page, context);
      pages.push(text);
      page.cleanup();
      if (!isTextless(text)) counter.add(number);
    } catch (error) {
      damagedPages.push(number);
      counter.add(number);
      cause = error;
    }
  }
  // Of a long document, pages after the first ones may be sound.
  if (pages.length === 0 && readPages === document.numPages) {
    if (KnowledgeBaseError.is(cause)) throw cause;
    throw invalidFile(file.name, "is a damaged PDF: none of its pages can be read.", cause);
  }
  const problem = "could not be read and";
  return { pages, warnings: pageWarning(damagedPages, `${problem} was skipped.`, `${problem} were skipped.`) };
}
