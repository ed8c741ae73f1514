import { KnowledgeBaseError } from "../../errors.js";
import type { ReadPicture } from "../../interfaces/block.js";
import type { Parser, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { isXmlProblem, xmlProblem } from "../shared/errors/library-errors.js";
import { showsPictures } from "../shared/html/find-picture.js";
import { officeProperties } from "../shared/office/office-properties.js";
import type { Losses } from "../shared/ooxml/losses.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { OFFICE_SWITCHES } from "../shared/ooxml/office-switches.js";

const MIME_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Heading 7'] => h6:fresh",
  "p[style-name='Heading 8'] => h6:fresh",
  "p[style-name='Heading 9'] => h6:fresh",
  "p[style-name='caption'] => figcaption:fresh",
  "p[style-name='Caption'] => figcaption:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
];

/** Word documents: headings, lists, tables, notes and formulas; images only by their description. */
export const docxParser: Parser = {
  name: "docx",
  mimeTypes: [
    MIME_TYPE,
    "application/vnd.ms-word.document.macroenabled.12",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  ],
  extensions: ["docx", "docm", "dotx"],
  honours: OFFICE_SWITCHES,
  async parse(file, options) {
    const [{ parseHtml }, { htmlToBlocks }, { OfficePackage }, { Losses }, { docxFurniture }, { docxComments }] =
      await Promise.all([
        import("../shared/html/html-tree.js"),
        import("../shared/html/html-to-blocks.js"),
        import("../shared/ooxml/office-package.js"),
        import("../shared/ooxml/losses.js"),
        import("./furniture.js"),
        import("./comments.js"),
      ]);
    const office = await OfficePackage.open(file, "word/document.xml", options.signal);
    const { disableImageExtraction, disableImageCaptions, chartUnderstanding } = options.config ?? {};
    const images = disableImageExtraction !== true && disableImageCaptions !== true;
    const losses = new Losses();
    const pictures: WordPicture[] | null = showsPictures(options) ? [] : null;
    const html = await convert(file, office, losses, { images, charts: chartUnderstanding !== false, pictures });
    options.signal?.throwIfAborted();
    const { headers, footers } = docxFurniture(office.archive);
    const list = new BlockList();
    for (const text of headers) list.add("page_header", text);
    const findPicture = (reference: string) => pictures?.[Number(reference)]?.read;
    htmlToBlocks(list, parseHtml(html), { images, chrome: false, ...(pictures && { findPicture }) });
    const placed = new Set(list.blocks.map(({ picture }) => picture));
    for (const { read, isDescribed } of pictures ?? []) if (!isDescribed && !placed.has(read)) losses.picture();
    for (const text of docxComments(office)) list.add("note", text);
    for (const text of footers) list.add("page_footer", text);
    const { title, metadata } = officeProperties(office.archive);
    return {
      blocks: list.blocks,
      title: title ?? firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings: losses.warnings(),
    };
  },
};

interface ConvertOptions {
  readonly images: boolean;
  readonly charts: boolean;
  /** Collects images, which `img` elements refer to by number; `null` if none are wanted. */
  readonly pictures: WordPicture[] | null;
}

interface WordPicture {
  readonly read: ReadPicture;
  /** Whether the author has written a description. */
  readonly isDescribed: boolean;
}

/** Converts the document to HTML. */
async function convert(
  file: SourceFile,
  office: OfficePackage,
  losses: Losses,
  { images, charts, pictures }: ConvertOptions,
): Promise<string> {
  const [{ default: mammoth }, { readNumbering }, numbers, { plainMarkup }, { formulasAsText }, graphics] =
    await Promise.all([
      import("mammoth"),
      import("./read-numbering.js"),
      import("./numbers-as-text.js"),
      import("./plain-markup.js"),
      import("./formulas.js"),
      import("./graphics.js"),
    ]);
  const numbering = readNumbering(office);
  const rewritten = (part: string, xml: string): string => {
    if (part !== office.mainPart && !/^word\/(?:footnotes|endnotes)\.xml$/.test(part)) return xml;
    // Embedded documents (altChunk) that Word imports when it opens the file.
    for (const _ of xml.matchAll(/<w:altChunk\b/g)) losses.object("embedded documents");
    const numbered = numbers.numbersAsText(plainMarkup(xml), numbering);
    const plain = formulasAsText(numbered, (formula) => office.fragment(part, formula));
    return graphics.graphicsAsText(plain, office, part, charts, losses);
  };
  let part = office.mainPart;
  // The converter reads parts through the package, which counts the bytes, and has no access to the disk.
  const input = {
    file: {
      exists: (name: string) => office.has(name),
      read: async (name: string, encoding?: string) => {
        part = name;
        const bytes = office.bytes(name);
        if (encoding === undefined) return bytes;
        if (encoding === "base64") return Buffer.from(bytes).toString("base64");
        return rewritten(name, new TextDecoder(encoding).decode(bytes));
      },
    },
  };
  const convertImage = mammoth.images.imgElement(async (image) => {
    const isDescribed = "altText" in image && Boolean(image.altText);
    if (pictures) return { src: String(pictures.push({ read: () => image.readAsBuffer(), isDescribed }) - 1) };
    if (images && !isDescribed) losses.picture();
    return { src: "" };
  });
  try {
    const styleMap = [...STYLES, `p.${graphics.CHART_TITLE_STYLE} => figcaption:fresh`];
    const options = { styleMap, convertImage, externalFileAccess: false };
    const result = await mammoth.convertToHtml(
      input as unknown as Parameters<typeof mammoth.convertToHtml>[0],
      options,
    );
    return numbers.withMarkers(result.value);
  } catch (error) {
    if (KnowledgeBaseError.is(error)) throw error;
    const problem = isXmlProblem(error)
      ? `is damaged: its part "${part}" ${xmlProblem(error)}.`
      : "is damaged: it has no content that Word would show.";
    throw invalidFile(file.name, problem, error);
  }
}
