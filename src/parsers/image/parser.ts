import type { Parser } from "../../interfaces/parser.js";
import { OCR_OPTIONS } from "../pageless-options.js";
import { IMAGE_TYPES } from "./image-header.js";

/** Parses images with text by OCR, and TIFF files page by page. One pixel counts as one point. */
export const imageParser: Parser = {
  name: "image",
  mimeTypes: IMAGE_TYPES,
  extensions: ["png", "jpg", "jpeg", "jpe", "jfif", "tif", "tiff", "gif", "bmp", "dib", "webp"],
  supportedOptions: OCR_OPTIONS,
  async parse(file, options) {
    const { readImage } = await import("./read.js");
    return readImage(file, options);
  },
};
