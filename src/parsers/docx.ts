import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BlockList } from "./block-list.js";
import { docxFurniture } from "./docx-furniture.js";
import { invalidFile } from "./file-errors.js";
import { formulasAsText } from "./office-math.js";
import { officeProperties } from "./office-properties.js";
import { PAGELESS_SWITCHES } from "./pageless-switches.js";
import { ZipArchive } from "./zip-archive.js";

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

/** Word documents: headings, lists, tables, notes and formulas; pictures by their description only. */
export const docxParser: Parser = {
  name: "docx",
  mimeTypes: [
    MIME_TYPE,
    "application/vnd.ms-word.document.macroenabled.12",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  ],
  extensions: ["docx", "docm", "dotx"],
  honours: PAGELESS_SWITCHES,
  async parse(file, options) {
    const archive = new ZipArchive(file.name, file.bytes);
    await archive.assertWithinLimit(options.signal);
    const [{ parseHtml }, { htmlToBlocks }] = await Promise.all([
      import("./html-tree.js"),
      import("./html-to-blocks.js"),
    ]);
    options.signal?.throwIfAborted();
    const { html, undescribed } = await convert(file, archive);
    options.signal?.throwIfAborted();
    const { headers, footers } = docxFurniture(archive);
    const list = new BlockList();
    for (const text of headers) list.add("page_header", text);
    htmlToBlocks(list, parseHtml(html), { images: options.config?.disableImageExtraction !== true, chrome: false });
    for (const text of footers) list.add("page_footer", text);
    const { title, metadata } = officeProperties(archive);
    const firstHeading = list.blocks.find((block) => block.kind === "heading")?.text ?? null;
    return {
      blocks: list.blocks,
      title: title ?? firstHeading,
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings:
        undescribed === 0
          ? []
          : [`${undescribed === 1 ? "A picture" : `${undescribed} pictures`} without a description could not be read.`],
    };
  },
};

/** The document as HTML, and how many of its pictures say nothing of themselves. */
async function convert(file: SourceFile, archive: ZipArchive): Promise<{ html: string; undescribed: number }> {
  const { default: mammoth } = await import("mammoth");
  let undescribed = 0;
  // The converter reads parts through the archive, which counts the bytes; it never sees the file or the disk.
  const input = {
    file: {
      exists: (name: string) => archive.has(name),
      read: async (name: string, encoding?: string) => partOf(archive, name, encoding),
    },
  };
  const convertImage = mammoth.images.imgElement(async (image) => {
    if (!("altText" in image) || !image.altText) undescribed++;
    return { src: "" };
  });
  try {
    const options = { styleMap: STYLES, convertImage, externalFileAccess: false };
    const result = await mammoth.convertToHtml(
      input as unknown as Parameters<typeof mammoth.convertToHtml>[0],
      options,
    );
    return { html: result.value, undescribed };
  } catch (error) {
    if (KnowledgeBaseError.is(error)) throw error;
    throw invalidFile(file.name, `cannot be read as a Word document: ${messageOf(error)}`, error);
  }
}

function partOf(archive: ZipArchive, name: string, encoding: string | undefined): string | Uint8Array {
  const bytes = archive.read(name);
  if (encoding === undefined) return bytes;
  if (encoding === "base64") return Buffer.from(bytes).toString("base64");
  const text = new TextDecoder(encoding).decode(bytes);
  return /^word\/(?:document|footnotes|endnotes)\.xml$/.test(name) ? formulasAsText(text) : text;
}
