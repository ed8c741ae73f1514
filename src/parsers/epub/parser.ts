import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { ZipArchive } from "../shared/archive/zip-archive.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { imageInDataUrl, imageOptions } from "../shared/html/image-options.js";

const MIME_TYPE = "application/epub+zip";

/** Parses EPUB 2 and 3 books: their content documents in reading order, without the table of contents. */
export const epubParser: Parser = {
  name: "epub",
  mimeTypes: [MIME_TYPE],
  extensions: ["epub"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const archive = new ZipArchive(file.name, file.bytes);
    await archive.assertWithinLimit(options.signal);
    const [{ openBook }, { addPart }, { catchRangeErrors }] = await Promise.all([
      import("./read.js"),
      import("./to-blocks.js"),
      import("../shared/errors/catch-range-errors.js"),
    ]);
    const { title, metadata, parts, resolve } = openBook(file.name, archive);
    const list = new BlockList();
    for (const part of parts) {
      options.signal?.throwIfAborted();
      const findImage = (reference: string) => {
        const path = resolve(part.path, reference);
        return path === null ? imageInDataUrl(reference) : () => archive.read(path);
      };
      const settings = { ...imageOptions(options, findImage), isNavigation: part.isNavigation };
      catchRangeErrors(file.name, () => addPart(list, archive.read(part.path), settings));
    }
    return pagelessDocument(list.blocks, MIME_TYPE, { title, metadata });
  },
};
