import type { ReadImage } from "../../../interfaces/block.js";
import type { ParseOptions } from "../../../interfaces/parser.js";

/** Returns a function that reads the image to which a reference points; `undefined` if it is not in the file. */
export type FindImage = (reference: string) => ReadImage | undefined;

/** Whether the images of a document are shown to a language model. */
export function showsImagesToModel({ ask, config = {} }: ParseOptions): boolean {
  return ask !== undefined && config.disableImageExtraction !== true && config.disableImageCaptions !== true;
}

/** Returns a function that decodes the image in a `data:` URL (RFC 2397); `undefined` for any other reference. */
export const imageInDataUrl: FindImage = (reference) => {
  const encoded = /^\s*data:image\/[\w.+-]+(?:;[\w.=+-]+)*;base64,/i.exec(reference);
  return encoded ? () => Buffer.from(reference.slice(encoded[0].length), "base64") : undefined;
};

/** How the images of a document are handled. */
export interface ImageOptions {
  /** Whether images with a description become blocks. */
  readonly addsImages: boolean;
  /** Finds the images to add to their blocks. @default blocks get no images */
  readonly findImage?: FindImage | undefined;
}

/**
 * Returns the image options of a config.
 * @param findImage Finds the images if they are shown to a language model. @default finds images in `data:` URLs
 */
export function imageOptions(options: ParseOptions, findImage: FindImage = imageInDataUrl): ImageOptions {
  return {
    addsImages: options.config?.disableImageExtraction !== true,
    findImage: showsImagesToModel(options) ? findImage : undefined,
  };
}

/** Returns the details of a block with an image; empty if there is no image. */
export function imageDetails(readImage: ReadImage | undefined): { readonly readImage?: ReadImage } {
  return readImage === undefined ? {} : { readImage };
}
