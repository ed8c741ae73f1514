import type { ReadImage } from "../../../interfaces/block.js";
import type { ParseOptions } from "../../../interfaces/parser.js";

/** Finds the image that a reference in a document points to; `undefined` if it is not in the file. */
export type FindImage = (reference: string) => ReadImage | undefined;

/** Whether a language model is shown the images of a document. */
export function showsImagesToModel({ ask, config = {} }: ParseOptions): boolean {
  return ask !== undefined && config.disableImageExtraction !== true && config.disableImageCaptions !== true;
}

/** Reads the image in a `data:` URL (RFC 2397). */
export const imageInDataUrl: FindImage = (reference) => {
  const encoded = /^\s*data:image\/[\w.+-]+(?:;[\w.=+-]+)*;base64,/i.exec(reference);
  return encoded ? () => Buffer.from(reference.slice(encoded[0].length), "base64") : undefined;
};

/** How images of a document are handled. */
export interface ImageOptions {
  /** Whether images with a description become blocks. */
  readonly addsImages: boolean;
  /** Finds the images. @default blocks get no images */
  readonly findImage?: FindImage | undefined;
}

/** The image options of a config. @param findImage Used if a model is shown the images. @default in `data:` URLs */
export function imageOptions(options: ParseOptions, findImage: FindImage = imageInDataUrl): ImageOptions {
  return {
    addsImages: options.config?.disableImageExtraction !== true,
    findImage: showsImagesToModel(options) ? findImage : undefined,
  };
}

/** The details of a block with an image; empty if there is none. */
export function imageDetails(picture: ReadImage | undefined): { readonly picture?: ReadImage } {
  return picture === undefined ? {} : { picture };
}
