import type { ReadImage } from "../../interfaces/block.js";
import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { ZipArchive } from "../shared/archive/zip-archive.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { decodeText, decodeXml } from "../shared/charset/decode-text.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { imageOptions } from "../shared/html/image-options.js";
import { childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const MIME_TYPE = "application/x-fictionbook+xml";
const ZIP_TYPE = "application/x-zip-compressed-fb2";

/** Parses FictionBook 2 files, zipped or not: sections, poems, quotations, tables, and the notes at the end. */
export const fb2Parser: Parser = {
  name: "fb2",
  mimeTypes: [MIME_TYPE, ZIP_TYPE],
  extensions: ["fb2", "fbz"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) => /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<FictionBook[\s>]/.test(decodeText(head).text),
  async parse(file, options) {
    const [{ parseXml }, { addBook }, { catchRangeErrors }] = await Promise.all([
      import("../shared/xml/parse-xml.js"),
      import("./to-blocks.js"),
      import("../shared/errors/catch-range-errors.js"),
    ]);
    const isZip = file.bytes[0] === 0x50 && file.bytes[1] === 0x4b;
    const bytes = isZip ? unzipBook(file.name, file.bytes) : file.bytes;
    const root = parseXml(file.name, decodeXml(bytes));
    options.signal?.throwIfAborted();
    if (root.name !== "FictionBook") throw invalidFile(file.name, "is not a FictionBook file.");
    const list = new BlockList();
    const images = imageOptions(options, (reference) => embeddedImage(root, reference));
    const properties = catchRangeErrors(file.name, () => addBook(list, root, images));
    return pagelessDocument(list.blocks, isZip ? ZIP_TYPE : MIME_TYPE, properties);
  },
};

/**
 * Returns a function that decodes the image that a reference points to, or `undefined` if there is none. Images are
 * stored in Base64 at the end of the book.
 */
function embeddedImage(root: XmlElement, reference: string): ReadImage | undefined {
  const image = childElements(root, "binary").find(({ attributes }) => `#${attributes.id}` === reference);
  return image && (() => Buffer.from(textContent(image), "base64"));
}

function unzipBook(fileName: string | null, bytes: Uint8Array): Uint8Array {
  const archive = new ZipArchive(fileName, bytes);
  const books = archive.names.filter((name) => /\.fb2$/i.test(name));
  if (books.length !== 1) throw invalidFile(fileName, `contains ${books.length} FictionBook files instead of one.`);
  return archive.read(books[0]!);
}
