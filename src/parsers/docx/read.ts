import mammoth from "mammoth";
import { KnowledgeBaseError } from "../../errors.js";
import type { ReadImage } from "../../interfaces/block.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { isXmlProblem, xmlProblem } from "../shared/errors/library-errors.js";
import { htmlToBlocks } from "../shared/html/html-to-blocks.js";
import { parseHtml } from "../shared/html/html-tree.js";
import { officeProperties } from "../shared/office/office-properties.js";
import { drawingOptions } from "../shared/ooxml/drawing-blocks.js";
import { OfficePackage } from "../shared/ooxml/office-package.js";
import { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { readDocxComments } from "./comments.js";
import { readDocxHeadersAndFooters } from "./headers-and-footers.js";
import { CHART_TITLE_STYLE, insertGraphics } from "./insert-graphics.js";
import { extractMarkers, insertNumbers } from "./insert-numbers.js";
import { readNumbering } from "./read-numbering.js";
import { replaceFormulas, simplifyMarkup } from "./simplify-markup.js";

const STYLE_MAP = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Heading 7'] => h6:fresh",
  "p[style-name='Heading 8'] => h6:fresh",
  "p[style-name='Heading 9'] => h6:fresh",
  "p[style-name='caption'] => figcaption:fresh",
  "p[style-name='Caption'] => figcaption:fresh",
  `p.${CHART_TITLE_STYLE} => figcaption:fresh`,
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
];

/** An image in a document. */
interface WordImage {
  readonly read: ReadImage;
  /** Whether the image has a description by the author. */
  readonly isDescribed: boolean;
}

interface ConvertOptions {
  readonly addsImages: boolean;
  readonly addsCharts: boolean;
  readonly skipped: SkippedContent;
  /** The images found so far, to which `img` elements refer by index; `null` if images are not extracted. */
  readonly extracted: WordImage[] | null;
}

/**
 * Reads a Word document.
 *
 * @throws `invalid_input` if the document is damaged.
 */
export async function readDocument(file: SourceFile, options: ParseOptions): Promise<Omit<ParsedDocument, "mimeType">> {
  const office = await OfficePackage.open(file, "word/document.xml", options.signal);
  const { addsImages, extractsImages, addsCharts } = drawingOptions(options, true);
  const skipped = new SkippedContent();
  const extracted: WordImage[] | null = extractsImages ? [] : null;
  const html = await convertToHtml(file, office, { addsImages, addsCharts, skipped, extracted });
  options.signal?.throwIfAborted();
  const { headers, footers } = readDocxHeadersAndFooters(office.archive);
  const list = new BlockList();
  for (const text of headers) list.add("page_header", text);
  const findImage = (reference: string) => extracted?.[Number(reference)]?.read;
  htmlToBlocks(list, parseHtml(html), { addsImages, isWholePage: false, ...(extracted && { findImage }) });
  const addedPictures = new Set(list.blocks.map(({ readImage }) => readImage));
  for (const { read, isDescribed } of extracted ?? [])
    if (!isDescribed && !addedPictures.has(read)) skipped.countImage();
  for (const text of readDocxComments(office)) list.add("note", text);
  for (const text of footers) list.add("page_footer", text);
  const { title, metadata } = officeProperties(office.archive);
  return {
    blocks: list.blocks,
    title: title ?? firstHeading(list.blocks),
    pages: null,
    metadata,
    warnings: skipped.warnings(),
  };
}

async function convertToHtml(
  file: SourceFile,
  office: OfficePackage,
  { addsImages, addsCharts, skipped, extracted }: ConvertOptions,
): Promise<string> {
  const numbering = readNumbering(office);
  const rewrite = (part: string, xml: string): string => {
    if (part !== office.mainPart && !/^word\/(?:footnotes|endnotes)\.xml$/.test(part)) return xml;
    // Word imports documents embedded with `altChunk` when it opens the file; the converter ignores them.
    for (const _ of xml.matchAll(/<w:altChunk\b/g)) skipped.countObject("embedded documents");
    const withNumbers = insertNumbers(simplifyMarkup(xml), numbering);
    const withFormulas = replaceFormulas(withNumbers, (formula) => office.fragment(part, formula));
    return insertGraphics(withFormulas, office, part, addsCharts, skipped);
  };
  let currentPart = office.mainPart;
  // The converter can read parts only through the package, which counts the bytes, and not from disk.
  const input = {
    file: {
      exists: (name: string) => office.has(name),
      read: async (name: string, encoding?: string) => {
        currentPart = name;
        const bytes = office.bytes(name);
        if (encoding === undefined) return bytes;
        if (encoding === "base64") return Buffer.from(bytes).toString("base64");
        return rewrite(name, new TextDecoder(encoding).decode(bytes));
      },
    },
  } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
  const convertImage = mammoth.images.imgElement(async (image) => {
    const isDescribed = "altText" in image && Boolean(image.altText);
    if (extracted) return { src: String(extracted.push({ read: () => image.readAsBuffer(), isDescribed }) - 1) };
    if (addsImages && !isDescribed) skipped.countImage();
    return { src: "" };
  });
  try {
    const options = { styleMap: STYLE_MAP, convertImage, externalFileAccess: false };
    return extractMarkers((await mammoth.convertToHtml(input, options)).value);
  } catch (error) {
    if (KnowledgeBaseError.is(error)) throw error;
    const problem = isXmlProblem(error)
      ? `is damaged: its part "${currentPart}" ${xmlProblem(error)}.`
      : "is damaged: its content cannot be read.";
    throw invalidFile(file.name, problem, error);
  }
}
