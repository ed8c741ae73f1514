import type { ReadPicture } from "../../../interfaces/block.js";
import type { ParseOptions } from "../../../interfaces/parser.js";

/** The picture that a reference in a document leads to; undefined where it leads to none that is in the file. */
export type FindPicture = (reference: string) => ReadPicture | undefined;

/** Whether a language model is to be shown the pictures of a document. */
export function showsPictures({ ask, config = {} }: ParseOptions): boolean {
  return ask !== undefined && config.disableImageExtraction !== true && config.disableImageCaptions !== true;
}

/** A picture that is its own address: `data:image/png;base64,…` (RFC 2397). */
export const pictureInAddress: FindPicture = (reference) => {
  const encoded = /^\s*data:image\/[\w.+-]+(?:;[\w.=+-]+)*;base64,/i.exec(reference);
  return encoded ? () => Buffer.from(reference.slice(encoded[0].length), "base64") : undefined;
};

/** What becomes of a document's images. */
export interface ImageOptions {
  /** Whether images with a description become blocks. */
  readonly images: boolean;
  /** Where the pictures of images are. @default their blocks have none */
  readonly findPicture?: FindPicture | undefined;
}

/** As the config has it. @param findPicture Where the pictures are, should a model be shown them. @default in their addresses */
export function imageOptions(options: ParseOptions, findPicture: FindPicture = pictureInAddress): ImageOptions {
  return {
    images: options.config?.disableImageExtraction !== true,
    findPicture: showsPictures(options) ? findPicture : undefined,
  };
}

/** A picture as part of a block's details. */
export function withPicture(picture: ReadPicture | undefined): { readonly picture?: ReadPicture } {
  return picture === undefined ? {} : { picture };
}
