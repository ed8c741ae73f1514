import type { ReadImage } from "../../../interfaces/block.js";
import type { ParseOptions } from "../../../interfaces/parser.js";

/** Finds the image that a reference in a document points to; `undefined` if it is not in the file. */
export type FindPicture = (reference: string) => ReadImage | undefined;

/** Whether images of a document are shown to a language model. */
export function showsPictures({ ask, config = {} }: ParseOptions): boolean {
  return ask !== undefined && config.disableImageExtraction !== true && config.disableImageCaptions !== true;
}

/** An image in a `data:` URL (RFC 2397). */
export const pictureInAddress: FindPicture = (reference) => {
  const encoded = /^\s*data:image\/[\w.+-]+(?:;[\w.=+-]+)*;base64,/i.exec(reference);
  return encoded ? () => Buffer.from(reference.slice(encoded[0].length), "base64") : undefined;
};

/** How images of a document are handled. */
export interface ImageOptions {
  /** Whether images with a description become blocks. */
  readonly images: boolean;
  /** Finds the images. @default blocks have no images */
  readonly findPicture?: FindPicture | undefined;
}

/** Options from the config. @param findPicture Finds the images if a model is shown them. @default in `data:` URLs */
export function imageOptions(options: ParseOptions, findPicture: FindPicture = pictureInAddress): ImageOptions {
  return {
    images: options.config?.disableImageExtraction !== true,
    findPicture: showsPictures(options) ? findPicture : undefined,
  };
}

/** An image as part of a block's details. */
export function withPicture(picture: ReadImage | undefined): { readonly picture?: ReadImage } {
  return picture === undefined ? {} : { picture };
}
