import type { Parser } from "../interfaces/parser.js";
import { BlockList } from "./block-list.js";
import { imageOptions, pictureInAddress } from "./find-picture.js";
import { PAGELESS_SWITCHES } from "./pageless-switches.js";
import { ZipArchive } from "./zip-archive.js";

const MIME_TYPE = "application/epub+zip";

/** EPUB 2 and 3 books: their documents in reading order, without the list of contents. */
export const epubParser: Parser = {
  name: "epub",
  mimeTypes: [MIME_TYPE],
  extensions: ["epub"],
  honours: PAGELESS_SWITCHES,
  async parse(file, options) {
    const archive = new ZipArchive(file.name, file.bytes);
    await archive.assertWithinLimit(options.signal);
    const [{ openBook }, { addPart }, { withinRange }] = await Promise.all([
      import("./epub/open-book.js"),
      import("./epub/add-part.js"),
      import("./within-range.js"),
    ]);
    const { title, metadata, parts, resolve } = openBook(file.name, archive);
    const list = new BlockList();
    for (const part of parts) {
      options.signal?.throwIfAborted();
      const findPicture = (reference: string) => {
        const path = resolve(part.path, reference);
        return path === null ? pictureInAddress(reference) : () => archive.read(path);
      };
      const settings = { ...imageOptions(options, findPicture), isNavigation: part.isNavigation };
      withinRange(file.name, () => addPart(list, archive.read(part.path), settings));
    }
    const firstHeading = list.blocks.find((block) => block.kind === "heading")?.text ?? null;
    return {
      blocks: list.blocks,
      title: title ?? firstHeading,
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings: [],
    };
  },
};
