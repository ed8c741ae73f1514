import type { Parser } from "../interfaces/parser.js";
import { PICTURE_TYPES } from "./image/picture-types.js";
import { PAGELESS_SWITCHES } from "./pageless-switches.js";

/** Pictures with writing on them, by text recognition; a TIFF file page by page. A pixel is a point. */
export const imageParser: Parser = {
  name: "image",
  mimeTypes: PICTURE_TYPES,
  extensions: ["png", "jpg", "jpeg", "jpe", "jfif", "tif", "tiff", "gif", "bmp", "dib", "webp"],
  honours: [...PAGELESS_SWITCHES, "forceOcr", "languageCode", "mode"],
  async parse(file, options) {
    const { readPicture } = await import("./image/read-picture.js");
    return readPicture(file, options);
  },
};
